// Replaces TensorFlow's source of the same path: a cost model without data.
// common_runtime/costmodel_manager.cc returns an error if one is requested.

#include "tensorflow/core/graph/costmodel.h"

namespace tensorflow {

void CostModel::IncrementUpdateTimes() {}

void CostModel::RecordMaxMemorySize(const Node*, int, Bytes,
                                    const TensorShapeProto&, const DataType&) {}

void CostModel::RecordAllocationId(const Node*, int, int64_t) {}

void CostModel::RecordMemoryStats(const Node*, const MemoryStats&) {}

void CostModel::RecordMaxExecutionTime(const Node*, Microseconds) {}

}  // namespace tensorflow
