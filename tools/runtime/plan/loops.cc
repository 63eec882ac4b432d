#include "tools/runtime/plan/loops.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/strcat.h"
#include "tools/runtime/plan/cycles.h"

namespace tfcarve {
namespace {

using ::tensorflow::Status;
using ::tensorflow::errors::InvalidArgument;
using ::tensorflow::strings::StrCat;

constexpr int kNone = -1;
constexpr int kRoot = 0;
// A frame inside of another one takes stack memory when it runs.
constexpr int kMaxNestedLoops = 100;

bool IsEnter(const BodyNode& node) { return node.op() == "Enter"; }
bool IsExit(const BodyNode& node) { return node.op() == "Exit"; }
bool IsMerge(const BodyNode& node) { return node.op() == "Merge"; }
bool IsNextIteration(const BodyNode& node) {
  return node.op() == "NextIteration";
}

// The nodes that run in a frame, and the nodes that connect it to others.
struct Frame {
  int parent = kNone;
  int depth = 0;
  std::vector<int> nodes;     // that the frame's body has
  std::vector<int> children;  // frames
  std::vector<int> enters;    // in the parent
  std::vector<int> merges;    // with the value of an Enter or a NextIteration
  std::vector<int> exits;
};

// Divides a body into frames.
class Frames {
 public:
  explicit Frames(const Body& body)
      : body_(body), users_(body.nodes.size()), of_(body.nodes.size(), kNone) {
    frames_.emplace_back();
  }

  Status Find() {
    const int count = static_cast<int>(body_.nodes.size());
    std::vector<int> todo;
    for (int i = 0; i < count; ++i) {
      bool is_source = true;
      ForEachSource(body_, body_.nodes[i], [&](int source) {
        users_[source].push_back(i);
        is_source = false;
      });
      if (is_source) Place(i, kRoot, &todo);
    }
    while (!todo.empty()) {
      const int node = todo.back();
      todo.pop_back();
      int frame = kRoot;
      TF_RETURN_IF_ERROR(FrameOfOutputs(node, &frame));
      for (const int user : users_[node]) {
        if (of_[user] == kNone) {
          Place(user, frame, &todo);
        } else if (of_[user] != frame) {
          return InvalidArgument(StrCat(Named(body_.nodes[user]),
                                        " has inputs from different frames"));
        }
      }
    }
    for (int i = 0; i < count; ++i) {
      if (of_[i] == kNone) {
        return CycleAt(body_.nodes[i]);
      }
      Sort(i);
    }
    return tensorflow::OkStatus();
  }

  const std::vector<Frame>& frames() const { return frames_; }

 private:
  void Place(int node, int frame, std::vector<int>* todo) {
    of_[node] = frame;
    todo->push_back(node);
  }

  // Enter's outputs are in the frame that it names, Exit's in the parent.
  Status FrameOfOutputs(int node, int* frame) {
    const BodyNode& at = body_.nodes[node];
    *frame = of_[node];
    if (IsExit(at)) {
      *frame = frames_[of_[node]].parent;
      if (*frame == kNone) {
        return InvalidArgument(StrCat(Named(at), " is not in a loop"));
      }
    } else if (IsEnter(at)) {
      const std::string& name = at.def().attr().at("frame_name").s();
      const auto [found, is_new] = by_name_.try_emplace(
          {of_[node], name}, static_cast<int>(frames_.size()));
      *frame = found->second;
      if (is_new) {
        Frame made;
        made.parent = of_[node];
        made.depth = frames_[of_[node]].depth + 1;
        if (made.depth > kMaxNestedLoops) {
          return InvalidArgument("loops are nested too deep, at ", Named(at));
        }
        frames_[of_[node]].children.push_back(*frame);
        frames_.push_back(std::move(made));
      }
    }
    return tensorflow::OkStatus();
  }

  void Sort(int node) {
    const BodyNode& at = body_.nodes[node];
    Frame& frame = frames_[of_[node]];
    if (IsEnter(at)) {
      const std::string& name = at.def().attr().at("frame_name").s();
      frames_[by_name_.at({of_[node], name})].enters.push_back(node);
    } else if (IsExit(at)) {
      frame.exits.push_back(node);
    } else if (IsMerge(at) && HasNextIteration(at)) {
      frame.merges.push_back(node);
    } else if (!IsNextIteration(at)) {
      frame.nodes.push_back(node);
    }
  }

  bool HasNextIteration(const BodyNode& merge) const {
    for (const Slot slot : merge.inputs) {
      const int producer = body_.producers[slot];
      if (producer != Body::kArgument &&
          IsNextIteration(body_.nodes[producer])) {
        return true;
      }
    }
    return false;
  }

  const Body& body_;
  std::vector<std::vector<int>> users_;
  std::vector<int> of_;  // the frame of each node
  std::map<std::pair<int, std::string>, int> by_name_;
  std::vector<Frame> frames_;
};

// Builds the body of one frame from the nodes of the whole body.
class FrameBody {
 public:
  FrameBody(const Body& from, const Frame& frame,
            const std::vector<std::shared_ptr<const Loop>>& loops,
            const std::vector<Frame>& frames, Body* body)
      : from_(from),
        frame_(frame),
        loops_(loops),
        frames_(frames),
        body_(*body) {}

  // Adds an argument that has the value of a slot.
  void AddArgument(Slot old) {
    slots_[old] = static_cast<Slot>(body_.types.size());
    body_.types.push_back(from_.types[old]);
    body_.producers.push_back(Body::kArgument);
  }

  Status AddNodes() {
    for (const int node : frame_.nodes) {
      AddOutputs(from_.nodes[node].outputs);
      indices_[node] = static_cast<int>(body_.nodes.size());
      body_.nodes.push_back(from_.nodes[node]);
      body_.nodes.back().outputs = last_;
    }
    for (const int child : frame_.children) AddLoop(child);
    for (BodyNode& node : body_.nodes) {
      for (Slot& slot : node.inputs) TF_RETURN_IF_ERROR(Map(node, &slot));
      node.controls = MapControls(node.controls);
    }
    return tensorflow::OkStatus();
  }

  Status AddResult(const BodyNode& node) {
    Slot slot = node.inputs[0];
    TF_RETURN_IF_ERROR(Map(node, &slot));
    body_.results.push_back(slot);
    for (const int control : MapControls(node.controls)) {
      body_.roots.insert(control);
    }
    return tensorflow::OkStatus();
  }

  // Returns the slots that have the values of other slots; none if the body
  // does not have them.
  Slots Find(Slots old) const {
    const auto found = slots_.find(old.first);
    return found == slots_.end() ? Slots() : Slots{found->second, old.count};
  }
  // Returns the node that a node became; kNone if the body does not have it.
  int FindNode(int old) const {
    const auto found = indices_.find(old);
    return found == indices_.end() ? kNone : found->second;
  }

 private:
  void AddOutputs(Slots old) {
    last_ = {static_cast<Slot>(body_.types.size()), 0};
    AppendOutputs(old);
  }

  void AppendOutputs(Slots old) {
    for (Slot slot = old.first; slot < old.first + old.count; ++slot) {
      slots_[slot] = static_cast<Slot>(body_.types.size());
      body_.types.push_back(from_.types[slot]);
      body_.producers.push_back(static_cast<int>(body_.nodes.size()));
      ++last_.count;
    }
  }

  void AddLoop(int child) {
    const Frame& frame = frames_[child];
    BodyNode node;
    node.loop = loops_[child];
    for (const int enter : frame.enters) {
      const BodyNode& at = from_.nodes[enter];
      node.inputs.push_back(at.inputs[0]);
      node.controls.insert(node.controls.end(), at.controls.begin(),
                           at.controls.end());
    }
    AddOutputs({0, 0});
    for (const int exit : frame.exits) {
      AppendOutputs(from_.nodes[exit].outputs);
      indices_[exit] = static_cast<int>(body_.nodes.size());
    }
    node.outputs = last_;
    body_.nodes.push_back(std::move(node));
  }

  Status Map(const BodyNode& node, Slot* slot) const {
    const auto found = slots_.find(*slot);
    if (found == slots_.end()) {
      return InvalidArgument(
          StrCat(Named(node), " has an input that a plan cannot compute"));
    }
    *slot = found->second;
    return tensorflow::OkStatus();
  }

  // Without the nodes that became arguments: they have values from the start.
  std::vector<int> MapControls(const std::vector<int>& old) const {
    std::vector<int> controls;
    for (const int control : old) {
      const int index = FindNode(control);
      if (index != kNone) controls.push_back(index);
    }
    return controls;
  }

  const Body& from_;
  const Frame& frame_;
  const std::vector<std::shared_ptr<const Loop>>& loops_;
  const std::vector<Frame>& frames_;
  Body& body_;
  std::map<Slot, Slot> slots_;
  std::map<int, int> indices_;  // of nodes
  Slots last_;                  // the outputs that were added last
};

Status MakeLoop(const Body& from, const Frame& frame,
                const std::vector<std::shared_ptr<const Loop>>& loops,
                const std::vector<Frame>& frames, Loop* loop) {
  FrameBody made(from, frame, loops, frames, &loop->body);
  std::map<int, int> enters;  // index by node
  for (size_t i = 0; i < frame.enters.size(); ++i) {
    enters[frame.enters[i]] = static_cast<int>(i);
  }
  std::vector<int> nexts;
  for (const int merge : frame.merges) {
    const BodyNode& at = from.nodes[merge];
    int initial = kNone, next = kNone;
    for (const Slot slot : at.inputs) {
      const int producer = from.producers[slot];
      const auto enter = enters.find(producer);
      if (enter != enters.end()) {
        initial = enter->second;
      } else if (producer != Body::kArgument &&
                 IsNextIteration(from.nodes[producer])) {
        next = producer;
      }
    }
    if (at.inputs.size() != 2 || initial == kNone || next == kNone) {
      return InvalidArgument(
          StrCat(Named(at),
                 " does not merge the values of an Enter and of a "
                 "NextIteration of its loop"));
    }
    made.AddArgument(at.outputs.first);
    loop->initial.push_back(initial);
    nexts.push_back(next);
  }
  for (size_t i = 0; i < frame.enters.size(); ++i) {
    const BodyNode& enter = from.nodes[frame.enters[i]];
    made.AddArgument(enter.outputs.first);
    loop->invariant.push_back(static_cast<int>(i));
    loop->once.push_back(!enter.def().attr().at("is_constant").b());
  }
  TF_RETURN_IF_ERROR(made.AddNodes());
  for (const int next : nexts) {
    TF_RETURN_IF_ERROR(made.AddResult(from.nodes[next]));
  }
  for (const int exit : frame.exits) {
    TF_RETURN_IF_ERROR(made.AddResult(from.nodes[exit]));
  }
  loop->exit_count = static_cast<int>(frame.exits.size());
  return CheckCycles(loop->body);
}

// The outermost frame, with the arguments and results of the whole body.
Status MakeRoot(const Body& from, const std::vector<Frame>& frames,
                const std::vector<std::shared_ptr<const Loop>>& loops,
                Body* body) {
  FrameBody made(from, frames[kRoot], loops, frames, body);
  const Slot count = static_cast<Slot>(from.types.size());
  for (Slot slot = 0; slot < count; ++slot) {
    if (from.producers[slot] == Body::kArgument) made.AddArgument(slot);
  }
  TF_RETURN_IF_ERROR(made.AddNodes());
  for (const BodyNode& node : from.nodes) {
    const Slots slots = made.Find(node.outputs);
    if (slots.count > 0) body->names[node.def().name()] = slots;
  }
  for (const Slot slot : from.results) {
    const Slots slots = made.Find({slot, 1});
    if (slots.count == 0) return InvalidArgument("a result is in a loop");
    body->results.push_back(slots.first);
  }
  for (const int root : from.roots) {
    const int index = made.FindNode(root);
    if (index != kNone) body->roots.insert(index);
  }
  return CheckCycles(*body);
}

}  // namespace

Status RaiseLoops(Body* body) {
  Frames found(*body);
  TF_RETURN_IF_ERROR(found.Find());
  const std::vector<Frame>& frames = found.frames();
  // A frame is found after the frame around it.
  std::vector<std::shared_ptr<const Loop>> loops(frames.size());
  for (size_t i = frames.size() - 1; i > kRoot; --i) {
    auto loop = std::make_shared<Loop>();
    TF_RETURN_IF_ERROR(MakeLoop(*body, frames[i], loops, frames, loop.get()));
    loops[i] = std::move(loop);
  }
  Body root;
  TF_RETURN_IF_ERROR(MakeRoot(*body, frames, loops, &root));
  *body = std::move(root);
  return tensorflow::OkStatus();
}

}  // namespace tfcarve
