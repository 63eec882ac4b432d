// How the ops of a plan run.

#ifndef TFCARVE_TOOLS_RUNTIME_PLAN_ACTIONS_H_
#define TFCARVE_TOOLS_RUNTIME_PLAN_ACTIONS_H_

#include <string_view>

namespace tfcarve {

enum class Action : char {
  kKernel,
  kForward,      // its outputs are its inputs
  kNothing,      // it has no outputs
  kConstant,     // its output is the constant of its node
  kPlaceholder,  // it must be fed
  kSwitch,       // one of its outputs is its first input
  kMerge,        // its output is the input that has a value
  // Control flow.
  kLoop,   // runs iterations until it has no next state
  kCall,   // of a function
  kIf,     // calls one of two functions
  kCase,   // calls one of several functions
  kWhile,  // calls a condition and a body until the condition is false
};

// Whether it runs functions or loops (control.h).
inline bool IsControlFlow(Action action) { return action >= Action::kLoop; }

// Returns how an op runs that is not a function of the model.
Action ActionOf(std::string_view op);

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_PLAN_ACTIONS_H_
