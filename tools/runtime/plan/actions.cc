#include "tools/runtime/plan/actions.h"

#include <string>

#include "tools/runtime/engine/engine_factory.h"

namespace tfcarve {
namespace {

struct OwnOp {
  std::string_view op;
  Action action;
};

// The ops that run without a kernel. Selection has the same list:
// session_ops.yaml of a release.
constexpr OwnOp kOwnOps[] = {
    {"Case", Action::kCase},
    {"Const", Action::kConstant},
    {"Enter", Action::kLoop},
    {"Exit", Action::kLoop},
    {"Identity", Action::kForward},
    {"IdentityN", Action::kForward},
    {"If", Action::kIf},
    {"LoopCond", Action::kForward},
    {"Merge", Action::kMerge},
    {"NextIteration", Action::kLoop},
    {"NoOp", Action::kNothing},
    {"PartitionedCall", Action::kCall},
    {"Placeholder", Action::kPlaceholder},
    {"PlaceholderV2", Action::kPlaceholder},
    {"PlaceholderWithDefault", Action::kForward},
    {"PreventGradient", Action::kForward},
    {"StatefulPartitionedCall", Action::kCall},
    {"StatelessCase", Action::kCase},
    {"StatelessIf", Action::kIf},
    {"StatelessWhile", Action::kWhile},
    {"StopGradient", Action::kForward},
    {"Switch", Action::kSwitch},
    {"While", Action::kWhile},
    {"_SwitchN", Action::kSwitch},
};

}  // namespace

Action ActionOf(std::string_view op) {
  for (const OwnOp& own : kOwnOps) {
    if (op == own.op) return own.action;
  }
  return Action::kKernel;
}

bool PlanRunsItself(const std::string& op) {
  const Action action = ActionOf(op);
  return action != Action::kKernel &&
         (control_flow != nullptr || !IsControlFlow(action));
}

}  // namespace tfcarve
