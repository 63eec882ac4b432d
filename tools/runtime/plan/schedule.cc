#include "tools/runtime/plan/schedule.h"

#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "tools/runtime/plan/actions.h"

namespace tfcarve {
namespace {

constexpr int kNoValue = std::numeric_limits<int>::min();

bool MayBranch(const BodyNode& node) {
  return node.loop != nullptr || ActionOf(node.op()) == Action::kSwitch;
}

// Builds a schedule: first the order of the nodes, then their values.
class Scheduler {
 public:
  Scheduler(const Body& body, const Request& request,
            const ConstantFinder& constant)
      : body_(body),
        request_(request),
        constant_(constant),
        is_argument_(body.types.size()),
        needed_(body.nodes.size()) {
    for (const Slot slot : request.arguments) is_argument_[slot] = true;
  }

  Schedule Make() {
    FindNeeded();
    AssignValues();
    FindLastUses();
    return std::move(schedule_);
  }

 private:
  // The node that computes a slot during the run, or -1.
  int ProducerOf(Slot slot) const {
    return is_argument_[slot] || constant_(slot) != nullptr
               ? -1
               : body_.producers[slot];
  }

  // Calls `visit` for each node that must run before `node`.
  template <typename Visit>
  void ForEachSource(int node, const Visit& visit) const {
    for (const Slot slot : body_.nodes[node].inputs) {
      const int producer = ProducerOf(slot);
      if (producer >= 0) visit(producer);
    }
    for (const int control : body_.nodes[node].controls) {
      if (IsConstant(control)) continue;
      visit(control);
    }
  }

  // Whether all outputs of a node are known. A node without outputs runs.
  bool IsConstant(int node) const {
    const BodyNode& at = body_.nodes[node];
    for (int i = 0; i < at.outputs.count; ++i) {
      if (constant_(at.outputs.first + i) == nullptr) return false;
    }
    return at.outputs.count > 0;
  }

  void FindNeeded() {
    std::vector<int> todo;
    const auto need = [&](int node) {
      if (needed_[node]) return;
      needed_[node] = true;
      todo.push_back(node);
    };
    for (const Slot slot : request_.results) {
      const int producer = ProducerOf(slot);
      if (producer >= 0) need(producer);
    }
    for (const int root : request_.roots) {
      if (!IsConstant(root)) need(root);
    }
    while (!todo.empty()) {
      const int node = todo.back();
      todo.pop_back();
      ForEachSource(node, need);
    }
  }

  // The needed nodes, sources first; of those that could be next, the first one
  // of the body.
  std::vector<int> Order() const {
    const int count = static_cast<int>(body_.nodes.size());
    std::vector<std::vector<int>> users(count);
    std::vector<int> waiting(count);
    std::priority_queue<int, std::vector<int>, std::greater<int>> ready;
    for (int node = 0; node < count; ++node) {
      if (!needed_[node]) continue;
      ForEachSource(node, [&](int source) {
        users[source].push_back(node);
        ++waiting[node];
      });
      if (waiting[node] == 0) ready.push(node);
    }
    std::vector<int> order;
    while (!ready.empty()) {
      const int node = ready.top();
      ready.pop();
      order.push_back(node);
      for (const int user : users[node]) {
        if (--waiting[user] == 0) ready.push(user);
      }
    }
    return order;
  }

  void AssignValues() {
    values_.assign(body_.types.size(), kNoValue);
    for (const Slot slot : request_.arguments) {
      values_[slot] = schedule_.value_count++;
      schedule_.arguments.push_back(values_[slot]);
      schedule_.argument_slots.push_back(slot);
    }
    steps_.assign(body_.nodes.size(), 0);
    const std::vector<int> order = Order();
    for (const int node : order) {
      schedule_.has_branches |= MayBranch(body_.nodes[node]);
    }
    for (const int node : order) {
      const BodyNode& at = body_.nodes[node];
      Step step;
      step.node = node;
      for (const Slot slot : at.inputs) step.inputs.push_back(UseOf(slot));
      steps_[node] = static_cast<int>(schedule_.steps.size());
      if (schedule_.has_branches) {
        for (const int control : at.controls) {
          if (!IsConstant(control)) step.controls.push_back(steps_[control]);
        }
      }
      step.first_output = schedule_.value_count;
      for (int i = 0; i < at.outputs.count; ++i) {
        const Slot slot = at.outputs.first + i;
        // An output that has a value already, because it is fed, is dropped.
        if (values_[slot] == kNoValue) values_[slot] = schedule_.value_count;
        ++schedule_.value_count;
      }
      schedule_.steps.push_back(std::move(step));
    }
    for (const Slot slot : request_.results) {
      schedule_.results.push_back(UseOf(slot));
    }
  }

  Use UseOf(Slot slot) {
    if (values_[slot] == kNoValue) {
      const int index = static_cast<int>(schedule_.constants.size());
      schedule_.constants.push_back(*constant_(slot));
      schedule_.constant_slots.push_back(slot);
      values_[slot] = ~index;
    }
    return {values_[slot], false};
  }

  // Backward: the first use that is found is the last one.
  void FindLastUses() {
    std::vector<bool> used(schedule_.value_count);
    const auto visit = [&used](Use* use) {
      if (use->value < 0 || used[use->value]) return;
      use->is_last = used[use->value] = true;
    };
    for (size_t i = schedule_.results.size(); i-- > 0;) {
      visit(&schedule_.results[i]);
    }
    for (size_t i = schedule_.steps.size(); i-- > 0;) {
      Step& step = schedule_.steps[i];
      const int count = body_.nodes[step.node].outputs.count;
      for (int k = 0; k < count; ++k) {
        if (!used[step.first_output + k]) {
          step.unused.push_back(step.first_output + k);
        }
      }
      for (size_t k = step.inputs.size(); k-- > 0;) visit(&step.inputs[k]);
    }
  }

  const Body& body_;
  const Request& request_;
  const ConstantFinder& constant_;
  std::vector<bool> is_argument_;
  std::vector<bool> needed_;
  std::vector<int> values_;  // of slots, as Use::value
  std::vector<int> steps_;   // of nodes: indices
  Schedule schedule_;
};

}  // namespace

Schedule MakeSchedule(const Body& body, const Request& request,
                      const ConstantFinder& constant) {
  return Scheduler(body, request, constant).Make();
}

}  // namespace tfcarve
