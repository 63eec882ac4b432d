// Replaces TensorFlow's source of the same path: no cost models, which are for
// placing nodes on devices. Statistics of a run (RunOptions.trace_level)
// remain.

#include "tensorflow/core/common_runtime/costmodel_manager.h"

namespace tensorflow {

CostModelManager::~CostModelManager() {
  for (const auto& [graph, model] : cost_models_) delete model;
}

CostModel* CostModelManager::FindOrCreateCostModel(const Graph* graph) {
  mutex_lock lock(mu_);
  CostModel*& model = cost_models_[graph];
  if (model == nullptr) model = new CostModel(/*is_global=*/false);
  return model;
}

bool CostModelManager::RemoveCostModelForGraph(const Graph* graph) {
  mutex_lock lock(mu_);
  const auto found = cost_models_.find(graph);
  if (found == cost_models_.end()) return false;
  delete found->second;
  cost_models_.erase(found);
  return true;
}

Status CostModelManager::AddToCostGraphDef(const Graph*, CostGraphDef*) {
  return errors::Unimplemented(
      "this library was carved without cost models: set "
      "graph_options.build_cost_model to 0");
}

}  // namespace tensorflow
