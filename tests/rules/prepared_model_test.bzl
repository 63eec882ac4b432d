"""Analysis tests of tf_prepared_model."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts", "unittest")
load("//rules:defs.bzl", "tf_prepared_model")
load(":argv.bzl", "argv", "own")

def _preset_impl(ctx):
    env = analysistest.begin(ctx)
    files = analysistest.target_under_test(env)[DefaultInfo].files.to_list()
    asserts.equals(env, ["tests/rules/by_preset.pb"], [f.short_path for f in files])
    asserts.equals(
        env,
        ["transform", "tests/rules/model.pb", "-o", "tests/rules/by_preset.pb"] +
        ["--inputs", "x,y", "--outputs", "z", "--preset", "mobile", "--fuse"],
        [own(word) for word in argv(env, "TfTransform")],
    )
    return analysistest.end(env)

preset_test = analysistest.make(_preset_impl)

def _transforms_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.equals(
        env,
        ["transform", "tests/rules/model.pb", "-o", "tests/rules/by_transforms.pb"] +
        ["--transforms", "fold_constants remove_nodes(op=Identity)"],
        [own(word) for word in argv(env, "TfTransform")],
    )

    # Random samples and the default tolerance.
    words = argv(env, "TfCompare")
    asserts.false(env, "--data" in words, "there are no samples")
    asserts.equals(env, "1e-5", words[words.index("--tolerance") + 1])
    return analysistest.end(env)

transforms_test = analysistest.make(_transforms_impl)

def _ranges_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.equals(
        env,
        ["transform", "tests/rules/model.pb", "-o", "tests/rules/by_ranges.pb"] +
        ["--outputs", "z", "--preset", "int8", "--ranges", "tests/rules/ranges.json"],
        [own(word) for word in argv(env, "TfTransform")],
    )
    mnemonics = [action.mnemonic for action in analysistest.target_actions(env)]
    asserts.false(env, "TfCalibrate" in mnemonics, "the ranges are given")
    return analysistest.end(env)

ranges_test = analysistest.make(_ranges_impl)

def _corrected_impl(ctx):
    env = analysistest.begin(ctx)
    ranges = "tests/rules/corrected.ranges.json"
    asserts.true(env, ranges in [own(word) for word in argv(env, "TfCalibrate")])
    words = [own(word) for word in argv(env, "TfTransform")]
    asserts.equals(env, ["--preset", "weights8", "--ranges", ranges], words[-4:])
    return analysistest.end(env)

corrected_test = analysistest.make(_corrected_impl)

def _calibrated_impl(ctx):
    env = analysistest.begin(ctx)
    ranges = "tests/rules/calibrated.ranges.json"
    asserts.equals(
        env,
        ["calibrate", "tests/rules/model.pb", "-o", ranges, "--data", "tests/rules/a.npz", "--data", "tests/rules/b.npz"] +
        ["--method", "entropy", "--outputs", "z"],
        [own(word) for word in argv(env, "TfCalibrate")],
    )
    words = [own(word) for word in argv(env, "TfTransform")]
    asserts.equals(env, ["--preset", "int8", "--ranges", ranges], words[-4:])
    return analysistest.end(env)

calibrated_test = analysistest.make(_calibrated_impl)

def _freezes_impl(ctx):
    env = analysistest.begin(ctx)
    frozen = "tests/rules/frozen_first.frozen.pb"
    asserts.equals(
        env,
        ["freeze", "tests/rules/model.keras", "-o", frozen, "--signature", "encode"],
        [own(word) for word in argv(env, "TfFreeze")],
    )
    asserts.equals(env, frozen, own(argv(env, "TfTransform")[1]))

    # The model itself is compared, not the frozen one.
    words = [own(word) for word in argv(env, "TfCompare")]
    asserts.equals(env, ["compare", "tests/rules/model.keras", "tests/rules/frozen_first.pb"], words[:3])
    asserts.equals(env, "encode", words[words.index("--signature") + 1])
    return analysistest.end(env)

freezes_test = analysistest.make(_freezes_impl)

_CHECKPOINT = ["--checkpoint", "tests/rules/model.ckpt"]
_CONSTANTS = ["--constant", "keep_prob=1", "--constant", "phase_train=false"]

def _constants_impl(ctx):
    env = analysistest.begin(ctx)
    ends = _CONSTANTS + ["--inputs", "x", "--outputs", "z"]
    asserts.equals(env, ends, [own(word) for word in argv(env, "TfCalibrate")][-8:])
    asserts.equals(env, ends, [own(word) for word in argv(env, "TfTransform")][4:12])
    words = [own(word) for word in argv(env, "TfCompare")]
    first = words.index("--constant")
    asserts.equals(env, _CONSTANTS, words[first:first + 4])
    return analysistest.end(env)

constants_test = analysistest.make(_constants_impl)

_OP_LIBRARIES = ["tests/rules/app_ops.so", "tests/rules/other_ops.so"]

def _inputs(env, mnemonic):
    """The paths of the inputs of the only action with a mnemonic."""
    (action,) = [a for a in analysistest.target_actions(env) if a.mnemonic == mnemonic]
    return [own(f.path) for f in action.inputs.to_list()]

def _op_libraries_impl(ctx):
    """Each command that runs full TensorFlow loads the libraries."""
    env = analysistest.begin(ctx)
    for mnemonic in ["TfFreeze", "TfCalibrate", "TfTransform", "TfCompare"]:
        words = [own(word) for word in argv(env, mnemonic)]
        passed = [words[i + 1] for i, word in enumerate(words) if word == "--op-library"]
        asserts.equals(env, _OP_LIBRARIES, passed, mnemonic)
        for library in _OP_LIBRARIES:
            asserts.true(env, library in _inputs(env, mnemonic), "%s: %s is not an input" % (mnemonic, library))
    return analysistest.end(env)

op_libraries_test = analysistest.make(_op_libraries_impl)

def _assertions_impl(ctx):
    """Only freezing removes assertions, so the graph is frozen, and its source is compared without them."""
    env = analysistest.begin(ctx)
    for mnemonic in ["TfFreeze", "TfCompare"]:
        words = argv(env, mnemonic)
        asserts.equals(env, "drop", words[words.index("--assertions") + 1])
    asserts.equals(env, "tests/rules/without_assertions.frozen.pb", own(argv(env, "TfTransform")[1]))
    asserts.false(env, "--assertions" in argv(env, "TfTransform"))
    return analysistest.end(env)

assertions_test = analysistest.make(_assertions_impl)

def _checkpoint_impl(ctx):
    env = analysistest.begin(ctx)
    frozen = "tests/rules/of_checkpoint.frozen.pb"
    asserts.equals(
        env,
        ["freeze", "tests/rules/graph.pb", "-o", frozen, "--inputs", "x,y:1", "--outputs", "z"] +
        _CHECKPOINT + ["--moving-averages", "--unroll", "9"],
        [own(word) for word in argv(env, "TfFreeze")],
    )
    words = [own(word) for word in argv(env, "TfTransform")]
    asserts.equals(env, [frozen, "-o", "tests/rules/of_checkpoint.pb", "--inputs", "x,y_1", "--outputs", "z"], words[1:8])
    words = [own(word) for word in argv(env, "TfCompare")]
    asserts.equals(env, ["compare", "tests/rules/graph.pb", "tests/rules/of_checkpoint.pb"], words[:3])
    asserts.equals(env, _CHECKPOINT[1], words[words.index("--checkpoint") + 1])
    for mnemonic in ["TfFreeze", "TfCompare"]:
        inputs = [f.basename for a in analysistest.target_actions(env) if a.mnemonic == mnemonic for f in a.inputs.to_list()]
        for name in ["graph.pb", "model.ckpt.index", "model.ckpt.data-00000-of-00001"]:
            asserts.true(env, name in inputs, "%s: %s is not an input" % (mnemonic, name))
    return analysistest.end(env)

checkpoint_test = analysistest.make(_checkpoint_impl)

def _frozen_checkpoint_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.equals(
        env,
        ["freeze", "tests/rules/graph.meta", "-o", "tests/rules/frozen_checkpoint.pb"] +
        ["--inputs", "x:1", "--outputs", "z"] + _CHECKPOINT + ["--assertions", "drop"] +
        ["--op-library", _OP_LIBRARIES[0]] + _CONSTANTS[:2],
        [own(word) for word in argv(env, "TfFreeze")],
    )
    return analysistest.end(env)

frozen_checkpoint_test = analysistest.make(_frozen_checkpoint_impl)

def _tags_impl(ctx):
    env = analysistest.begin(ctx)
    words = argv(env, "TfFreeze")
    asserts.equals(env, ["--tags", "serve,gpu"], words[-2:])
    asserts.equals(env, ["--outputs", "z"], argv(env, "TfTransform")[4:6])
    return analysistest.end(env)

tags_test = analysistest.make(_tags_impl)

def _prepared_validation_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.equals(
        env,
        ["compare", "tests/rules/model.pb", "tests/rules/by_preset.pb", "--tolerance", "2.5e-4"] +
        ["--inputs", "x,y", "--outputs", "z", "--data", "tests/rules/x.npz"] +
        ["--json", "-o", "tests/rules/by_preset.compare.json"],
        [own(word) for word in argv(env, "TfCompare")],
    )
    groups = analysistest.target_under_test(env)[OutputGroupInfo]
    for files in [groups._validation, groups.comparison]:
        asserts.equals(env, ["by_preset.compare.json"], [f.basename for f in files.to_list()])
    return analysistest.end(env)

prepared_validation_test = analysistest.make(_prepared_validation_impl)

def _of_model_impl(ctx):
    """Other rules accept a prepared model."""
    env = analysistest.begin(ctx)
    asserts.equals(env, "tests/rules/by_transforms.pb", own(argv(env, "TfSelect")[1]))
    return analysistest.end(env)

of_model_test = analysistest.make(_of_model_impl)

_PLATFORMS = "//command_line_option:platforms"
_PROTOS = str(Label("//rules/config:protos"))

_other_configuration = transition(
    implementation = lambda _settings, _attr: {
        _PLATFORMS: str(Label("//rules/platforms:linux_armv7")),
        _PROTOS: "full",
    },
    inputs = [],
    outputs = [_PLATFORMS, _PROTOS],
)

def _paths(target):
    return sorted([f.path for f in target[DefaultInfo].files.to_list()])

def _prepared_once_impl(ctx):
    env = unittest.begin(ctx)
    asserts.equals(env, _paths(ctx.attr._model), _paths(ctx.attr._model_elsewhere[0]))
    same = _paths(ctx.attr._selection) == _paths(ctx.attr._selection_elsewhere[0])
    asserts.false(env, same, "the other configuration has no effect")
    return unittest.end(env)

prepared_once_test = unittest.make(
    _prepared_once_impl,
    attrs = {
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
        # Private, so that the validation actions, which compare models, do not run: the models do not exist.
        "_model": attr.label(default = ":by_transforms"),
        "_model_elsewhere": attr.label(default = ":by_transforms", cfg = _other_configuration),
        "_selection": attr.label(default = ":of_prepared"),
        "_selection_elsewhere": attr.label(default = ":of_prepared", cfg = _other_configuration),
    },
)

def _refused(message):
    def impl(ctx):
        env = analysistest.begin(ctx)
        asserts.expect_failure(env, message)
        return analysistest.end(env)

    return analysistest.make(impl, expect_failure = True)

both_or_neither_test = _refused("pass either transforms or a preset (int8, mobile, weights16, weights8)")
unknown_preset_test = _refused("unknown preset \"mobil\"; known presets: int8, mobile, weights16, weights8")
tolerance_test = _refused("expected a number that is not negative, such as 1e-4")
comma_test = _refused("\"x,y\" is not the name of a node")
no_name_test = _refused("\" \" is not the name of a node")
no_model_test = _refused("tests/rules/ops.json is not a model: pass a GraphDef (.pb, .pbtxt, .pb.txt), the directory of a SavedModel")
signature_test = _refused("is a GraphDef, which has no signatures: name inputs and outputs")

no_tolerance_test = _refused("changes outputs by more than the default tolerance of 1e-5: pass tolerance")
other_preset_test = _refused("ranges and calibration_data require the preset int8 or weights8")
two_ranges_test = _refused("pass either ranges or calibration_data, which are measured in the build")

op_library_file_test = _refused("app_ops.cc")
outputs_test = _refused("tests/rules/graph.pb is a GraphDef, which does not name its outputs: pass outputs")
constant_test = _refused("expected a Placeholder's name and a value, such as {\"keep_prob\": \"1\"}")
checkpoint_files_test = _refused("checkpoint: pass the files of one checkpoint")

_INT8 = {"preset": "int8", "tolerance": "0.02"}

_REFUSED = [
    ("assertions_outputs", outputs_test, {"assertions": "drop", "preset": "mobile", "src": "graph.pb"}),
    ("checkpoint", checkpoint_files_test, {"checkpoint": ["a.data", "b.data"], "outputs": ["z"], "preset": "mobile"}),
    ("constant_name", constant_test, {"constants": {" ": "1"}, "preset": "mobile"}),
    ("constant_value", constant_test, {"constants": {"x": ""}, "preset": "mobile"}),
    ("constant_equals", constant_test, {"constants": {"x=y": "1"}, "preset": "mobile"}),
    ("op_library_file", op_library_file_test, {"op_libraries": ["app_ops.cc"], "preset": "mobile"}),
    ("outputs", outputs_test, {"checkpoint": ["model.ckpt.index"], "preset": "mobile", "src": "graph.pb"}),
    ("both", both_or_neither_test, {"preset": "mobile", "transforms": "fold_constants"}),
    ("neither", both_or_neither_test, {}),
    ("unknown_preset", unknown_preset_test, {"preset": "mobil"}),
    ("comma", comma_test, {"inputs": ["x,y"], "preset": "mobile"}),
    ("no_name", no_name_test, {"outputs": [" "], "preset": "mobile"}),
    ("no_model", no_model_test, {"preset": "mobile", "src": "ops.json"}),
    ("no_tolerance_int8", no_tolerance_test, {"preset": "int8"}),
    ("no_tolerance_weights16", no_tolerance_test, {"preset": "weights16"}),
    ("no_tolerance_weights8", no_tolerance_test, {"preset": "weights8"}),
    ("other_preset", other_preset_test, {"preset": "mobile", "ranges": "ranges.json"}),
    ("no_preset", other_preset_test, {"calibration_data": ["a.npz"], "transforms": "fold_constants"}),
    ("two_ranges", two_ranges_test, _INT8 | {"calibration_data": ["a.npz"], "ranges": "ranges.json"}),
    ("signature", signature_test, {"preset": "mobile", "signature": "serving_default"}),
] + [
    ("tolerance_" + name, tolerance_test, {"preset": "mobile", "tolerance": tolerance})
    for name, tolerance in {
        "empty": "",
        "negative": "-1",
        "no_exponent": "1e",
        "no_fraction": "1.",
        "not_a_number": "nan",
        "word": "few",
    }.items()
]

# buildifier: disable=unnamed-macro
def refused_models():
    """Defines models with invalid parameters, and a test for each."""
    for name, test, parameters in _REFUSED:
        parameters = {"src": "model.pb"} | parameters
        tf_prepared_model(name = "refused_" + name, tags = ["manual"], **parameters)
        test(name = "refused_%s_test" % name, target_under_test = ":refused_" + name)
