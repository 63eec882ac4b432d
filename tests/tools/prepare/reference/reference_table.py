"""The comparisons: each transform of TensorFlow's tool on small graphs, and the accepted differences."""

from reference_rows import Defect, Differs, Equal, Same

_ALL = "v1 v1_resources v2"
_MOVED = "TensorFlow's pattern matcher writes nodes in another order"
_FOLDED = "TensorFlow gives computed constants new names"
_PLACED = "TensorFlow names the bias after the convolution, tfcarve after the batch norm; TensorFlow sums in float"
_HASHED = "in TensorFlow, hashes determine which of several equal nodes stays"
_LEFT = "TensorFlow leaves unused nodes, and computes the ranges of constants at run time"
_MORE = "tfcarve also quantizes AddV2 and ConcatV2"
# One step of 8 bits between 0 and 1, the range of these outputs: the last bits of a float, which depend on the CPU, decide to
# which step a value is rounded.
_ONE_STEP = 1 / 255
_DROPPED = "TensorFlow removes the nodes of other inputs; in tfcarve strip_unused_nodes does"
_PAGE = (
    'strip_unused_nodes(type=float, shape="1,299,299,3") remove_nodes(op=Identity, op=CheckNumerics) '
    "fold_constants(ignore_errors=true) fold_batch_norms fold_old_batch_norms"
)
_AS_FUSED = "rename_op(old_op_name=FusedBatchNormV3, new_op_name=FusedBatchNorm)"
_FREEZE = 'freeze_requantization_ranges(min_max_log_file="{log}"'

SAME = (
    Same("add_default_attributes", "v1_bare v2_bare", Equal.ORDERED),
    Same("add_default_attributes", _ALL, Equal.UNCHANGED),
    Same("backport_concatv2", "v2", Equal.ORDERED),
    Same("backport_concatv2", "v1 v1_resources", Equal.UNCHANGED),
    Same("backport_tensor_array_v3", _ALL, Equal.UNCHANGED),
    Same("flatten_atrous_conv", _ALL, Equal.UNCHANGED),
    Same(
        "flatten_atrous_conv",
        "atrous_same",
        Equal.OPS,
        "tfcarve gives the wider filter a new name, because other nodes may read the old one",
    ),
    Same("fold_batch_norms", _ALL, Equal.UNCHANGED),
    Same("fold_batch_norms", "conv_times dense_times depthwise_times", Equal.NODES, _MOVED),
    Same("fold_constants", "v1 v1_resources", Equal.OPS, _FOLDED),
    Same("fold_constants", "array_in_a_loop", Equal.OPS, _FOLDED),
    Same("fold_constants(clear_output_shapes=false)", "v1", Equal.OPS, _FOLDED),
    Same("fold_constants(exclude_op=Sqrt)", "v1", Equal.OPS, _FOLDED),
    Same("fold_constants(exclude_node=scale)", "v1", Equal.OPS, _FOLDED),
    Same(
        "remove_control_dependencies fold_constants(max_constant_size_in_bytes=16)",
        "v1 v2",
        Equal.OPS,
        _FOLDED,
    ),
    Same("remove_nodes(op=Identity) fold_constants", "v1 v2", Equal.OPS, _FOLDED),
    Same(_PAGE, "v1 v1_resources", Equal.OPS, _FOLDED),
    Same(_PAGE, "conv_times", Equal.NODES, _MOVED),
    Same(_PAGE, "fused_norm", Equal.OPS, _PLACED),
    Same(_PAGE, "v2", Equal.OUTPUTS, "TensorFlow does not fold FusedBatchNormV3"),
    Same("remove_control_dependencies fold_constants", "v1 v2", Equal.OPS, _FOLDED),
    Same("fold_old_batch_norms", _ALL, Equal.UNCHANGED),
    Same("fold_old_batch_norms", "old_norm fused_norm", Equal.OPS, _PLACED),
    Same(f"{_AS_FUSED} fold_old_batch_norms", "fused_norm_v3", Equal.OPS, _PLACED),
    Same(f"{_FREEZE})", "with_range", Equal.NODES, "the position of constants differs"),
    Same(
        f"{_FREEZE}, min_percentile=50, max_percentile=50)",
        "with_range",
        Equal.NODES,
        "the position of constants differs",
    ),
    Same("fuse_pad_and_conv", "mirrored", Equal.NODES, _MOVED),
    Same("fuse_pad_and_conv", "v1", Equal.UNCHANGED),
    Same("fuse_resize_and_conv", "resized", Equal.NODES, _MOVED),
    Same("fuse_resize_and_conv", _ALL, Equal.UNCHANGED),
    Same("fuse_resize_pad_and_conv", "resized_mirrored", Equal.NODES, _MOVED),
    Same("fuse_resize_pad_and_conv", _ALL, Equal.UNCHANGED),
    Same("inline_partitionedcall", "calling", Equal.ORDERED),
    Same("inline_partitionedcall", _ALL, Equal.UNCHANGED),
    Same("insert_logging(prefix=parts)", "v1", Equal.ORDERED),
    Same(
        "insert_logging(op=Relu, op=Softmax, show_name=true, show_op=true, message=hi, first_n=3,"
        " summarize=7)",
        "v1 v2",
        Equal.ORDERED,
    ),
    Same("insert_logging", "after_another", Equal.ORDERED),
    Same(
        "merge_duplicate_nodes", "v1 v1_resources array_in_a_loop atrous_same", Equal.NODES, _MOVED
    ),
    Same("merge_duplicate_nodes", "v2", Equal.OPS, _HASHED),
    Same("obfuscate_names", "v1_resources v2 after_another", Equal.ORDERED),
    Same("quantize_nodes", "quantizable", Equal.OUTPUTS, _LEFT),
    Same("quantize_nodes(ignore_op=MatMul)", "quantizable", Equal.OUTPUTS, _LEFT),
    Same("quantize_nodes(input_min=-1, input_max=1)", "quantizable", Equal.OUTPUTS, _LEFT),
    Same("quantize_nodes(fallback_min=-2, fallback_max=2)", "quantizable", Equal.OUTPUTS, _LEFT),
    Same("quantize_nodes", "v1 v2", Equal.OUTPUTS, _MORE, _ONE_STEP),
    Same("quantize_nodes(ignore_op=MatMul)", "v1 v2", Equal.OUTPUTS, _MORE, _ONE_STEP),
    Same("quantize_nodes(input_min=-1, input_max=1)", "v1 v2", Equal.OUTPUTS, _MORE, _ONE_STEP),
    Same("quantize_weights(minimum_size=16)", "v1 v2", Equal.ORDERED),
    Same("remove_attribute(attribute_name=dilations, op_name=Conv2D)", _ALL, Equal.ORDERED),
    Same("remove_attribute(attribute_name=data_format)", _ALL, Equal.ORDERED),
    Same("remove_control_dependencies", _ALL, Equal.ORDERED),
    Same("remove_device", "v1 v1_resources", Equal.ORDERED),
    Same("remove_device", "v2", Equal.UNCHANGED),
    Same("remove_nodes(op=Identity)", _ALL, Equal.NODES, _MOVED),
    Same("remove_nodes(op=Identity, op=CheckNumerics)", _ALL, Equal.NODES, _MOVED),
    Same("remove_nodes(op=Mul, op=BiasAdd, max_inputs=2)", "v1", Equal.OUTPUTS, _DROPPED),
    Same(
        "remove_nodes(op=Mul, op=BiasAdd, max_inputs=2) strip_unused_nodes",
        "v1",
        Equal.NODES,
        _MOVED,
    ),
    Same(
        "remove_nodes(op=Identity)",
        "array_in_a_loop",
        Equal.OUTPUTS,
        "TensorFlow replaces a control input from a node after a Switch with one from the Switch",
    ),
    Same(
        "rename_attribute(old_attribute_name=dilations, new_attribute_name=_d)", _ALL, Equal.ORDERED
    ),
    Same(
        "rename_attribute(old_attribute_name=transpose_a, new_attribute_name=_t, op_name=MatMul)",
        "v1",
        Equal.ORDERED,
    ),
    Same("rename_node(old_node_name=checked, new_node_name=b/c)", "v1", Equal.ORDERED),
    Same("rename_op(old_op_name=Softmax, new_op_name=LogSoftmax)", _ALL, Equal.ORDERED),
    Same("round_weights", "v1 v2", Equal.ORDERED),
    Same("round_weights(num_steps=16)", "v1 v2", Equal.ORDERED),
    Same('set_device(device="/device:CPU:0")', _ALL, Equal.ORDERED),
    Same('set_device(device="/device:CPU:1", if_default=true)', _ALL, Equal.ORDERED),
    Same(
        "sort_by_execution_order", f"{_ALL} v1_reversed v2_reversed array_in_a_loop", Equal.ORDERED
    ),
    Same(
        "sparsify_gather",
        _ALL,
        Equal.OUTPUTS,
        "TensorFlow adds an initialization node even if there are no tables",
    ),
    Same("sparsify_gather", "gathering", Equal.OPS, "tfcarve sets attributes to their defaults"),
    Same("strip_unused_nodes", "v1 v1_resources", Equal.ORDERED),
    Same('strip_unused_nodes(type=float, shape="1,8,8,3")', "v2", Equal.UNCHANGED),
    Same('strip_unused_nodes(type=float, shape="1,4")', "v1_inside", Equal.ORDERED),
    Same(
        'strip_unused_nodes(name=pooled, type_for_name=float, shape_for_name="1,2", name=x,'
        ' type_for_name=float, shape_for_name="1")',
        "v1_inside",
        Equal.ORDERED,
    ),
    Same(
        "strip_unused_nodes",
        "v1_inside",
        Equal.OPS,
        "tfcarve defaults to any shape, TensorFlow to a scalar, which a graph without version does not check",
    ),
)
DIFFERS = (
    Differs(
        "sparsify_gather",
        "gathering_int32",
        Defect.NOT_RUN,
        "tables accept only int64 keys; tfcarve converts others",
    ),
    Differs(
        "backport_concatv2",
        "concat_of_int64",
        Defect.NOT_RUN,
        "Concat accepts only an int32 axis; tfcarve converts it",
    ),
    Differs(
        "backport_tensor_array_v3",
        "array_in_a_loop",
        Defect.NOT_RUN,
        "the handle becomes a string, also in a loop; tfcarve changes its type there",
    ),
    Differs(
        "flatten_atrous_conv",
        "atrous_valid",
        Defect.DIFFERENT,
        "TensorFlow always sets SAME; tfcarve computes the padding of the old nodes",
    ),
    Differs(
        "fold_constants",
        "v2",
        Defect.LARGER,
        "TensorFlow keeps the old constants with control inputs from them; tfcarve removes both",
    ),
    Differs(
        "fold_old_batch_norms",
        "fused_norm_v3",
        Defect.KEEPS,
        "TensorFlow supports only FusedBatchNorm",
        "FusedBatchNormV3",
    ),
    Differs(
        f"{_AS_FUSED} remove_nodes(op=Identity) fold_old_batch_norms",
        "v2",
        Defect.NEVER_ENDS,
        "TensorFlow matches its own replacement again",
    ),
    Differs(
        "fuse_pad_and_conv",
        "v2",
        Defect.KEEPS,
        "TensorFlow supports only MirrorPad; Keras writes Pad",
        "Pad",
    ),
    Differs(
        "fuse_pad_and_conv",
        "mirrored_several",
        Defect.DIFFERENT,
        "the fused op is wrong for a batch larger than 1; tfcarve does not use it then",
    ),
    Differs(
        "insert_logging",
        "v2",
        Defect.NOT_RUN,
        "in TensorFlow, a Print of some outputs gets the types of all outputs",
    ),
    Differs(
        "obfuscate_names",
        "v1",
        Defect.NOT_RUN,
        "TensorFlow keeps old names in colocation attributes",
    ),
    Differs(
        "obfuscate_names",
        "array_in_a_loop",
        Defect.NOT_RUN,
        "the same, in a loop",
    ),
    Differs(
        "remove_nodes(op=BiasAdd, max_inputs=2)",
        "v2",
        Defect.FAILS,
        "TensorFlow removes the bias although it has a control output",
    ),
    Differs(
        "quantize_weights(minimum_size=16)",
        "zero_weights",
        Defect.DIFFERENT,
        "TensorFlow's maximum starts at the smallest positive number: zeros get a range of 1e-38 and become NaN",
    ),
)
