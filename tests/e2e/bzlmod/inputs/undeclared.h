#ifndef INPUTS_UNDECLARED_H_
#define INPUTS_UNDECLARED_H_

constexpr int kUndeclared = 1;

#endif  // INPUTS_UNDECLARED_H_
