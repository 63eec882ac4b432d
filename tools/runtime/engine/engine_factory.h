// Which engine a library has, and its parts that not all libraries need. The
// unit with its manifest includes this header.

#ifndef TFCARVE_TOOLS_RUNTIME_ENGINE_ENGINE_FACTORY_H_
#define TFCARVE_TOOLS_RUNTIME_ENGINE_ENGINE_FACTORY_H_

#include <string>

namespace tsl {
class Env;
}  // namespace tsl

namespace tfcarve {

struct EngineArguments;
struct MadeEngine;

// Creates an engine for a graph whose ops and kernels the library has.
using EngineFactory = MadeEngine(EngineArguments arguments);

EngineFactory NewPlanEngine;     // runs plans
EngineFactory NewSessionEngine;  // runs TensorFlow's session

// The engine of the library. Defined by the unit with the library's manifest,
// so that the linker includes one of them.
extern EngineFactory* const engine_factory;

// Returns whether an engine runs the nodes of an op itself, without a kernel.
using RunsItself = bool(const std::string& op);

RunsItself PlanRunsItself;

// That of the library's engine; null if it needs kernels for all ops.
extern RunsItself* const engine_runs_itself;

using EnvironmentFactory = tsl::Env*();

// Returns TensorFlow's environment: files, threads and times. Part of a library
// only if one of its kernels asks its device for it.
EnvironmentFactory DefaultEnvironment;

// The environment of devices that run plans; null if no kernel asks for it.
extern EnvironmentFactory* const environment_factory;

struct ControlFlow;

// What runs the functions and the loops of graphs (plan/control.h). Part of a
// library only if one of its models has them.
extern const ControlFlow kControlFlow;

// That of the library's plans; null if no model has functions or loops.
extern const ControlFlow* const control_flow;

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_ENGINE_ENGINE_FACTORY_H_
