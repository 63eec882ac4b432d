#include "inputs/undeclared.h"

int Undeclared() { return kUndeclared; }
