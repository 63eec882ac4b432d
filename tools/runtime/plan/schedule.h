// The order in which the nodes of a body run to compute some of its tensors.

#ifndef TFCARVE_TOOLS_RUNTIME_PLAN_SCHEDULE_H_
#define TFCARVE_TOOLS_RUNTIME_PLAN_SCHEDULE_H_

#include <functional>
#include <set>
#include <vector>

#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/platform/status.h"
#include "tools/runtime/plan/body.h"

namespace tfcarve {

// What is computed from what.
struct Request {
  std::vector<Slot> arguments;  // slots that have values when the run starts
  std::vector<Slot> results;
  std::set<int> roots;  // nodes that run although no result needs them
};

// A use of a tensor by a step, or as a result.
struct Use {
  int value;  // an index of the run's values; ~index of a constant if negative
  // Whether nothing uses the value later: the step may reuse its memory.
  bool is_last;
};

// The execution of a node.
struct Step {
  int node;
  std::vector<Use> inputs;
  int first_output;         // index of a value
  std::vector<int> unused;  // outputs that nothing uses: indices of values
  // Steps that run before this one: if one of them has no value, neither has
  // this step. Empty unless the schedule has branches.
  std::vector<int> controls;
};

struct Schedule {
  std::vector<Step> steps;
  std::vector<tensorflow::Tensor> constants;
  std::vector<Slot> constant_slots;  // of the constants
  std::vector<int> arguments;        // indices of values, as in the request
  std::vector<Slot> argument_slots;
  std::vector<Use> results;
  int value_count = 0;
  // Whether steps may have no value, because they are in a branch that a Switch
  // does not take.
  bool has_branches = false;
};

// Returns the value of a slot that no run changes, or null.
using ConstantFinder = std::function<const tensorflow::Tensor*(Slot)>;

// Schedules the nodes that a request needs, in the order of the body as far as
// its edges permit it.
Schedule MakeSchedule(const Body& body, const Request& request,
                      const ConstantFinder& constant);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PLAN_SCHEDULE_H_
