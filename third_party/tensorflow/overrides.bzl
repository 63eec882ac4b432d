"""Parts of TensorFlow's runtime that few models need, or none.

Sources of the same names under overrides/core/ take their place in the core; TensorFlow's own are compiled
as units where a model needs them (`compiles` in tools/tfcarve/selection/runtime_ops.yaml).
"""

REPLACED = [
    "tensorflow/core/common_runtime/collective_executor_mgr.cc",
    "tensorflow/core/common_runtime/costmodel_manager.cc",
    "tensorflow/core/common_runtime/gradients.cc",
    "tensorflow/core/common_runtime/node_file_writer.cc",
    "tensorflow/core/common_runtime/placer.cc",
    "tensorflow/core/common_runtime/process_state.cc",
    "tensorflow/core/common_runtime/replicate_per_replica_nodes.cc",
    "tensorflow/core/framework/log_memory.cc",
    "tensorflow/core/framework/run_handler.cc",
    "tensorflow/core/framework/variant_op_registry.cc",
    "tensorflow/core/graph/collective_order.cc",
    "tensorflow/core/graph/costmodel.cc",
    "tensorflow/core/graph/graph_debug_info_builder.cc",
]

# Messages that are passed on and never read, where messages are lite: with full ones they are as TensorFlow
# has them.
REPLACED_PROTOS = [
    "tensorflow/core/framework/cost_graph.proto",
    "tensorflow/core/framework/graph_debug_info.proto",
    "tensorflow/core/protobuf/cluster.proto",
]
