"""tf_golden_sample: a sample for a model, with the outputs of full TensorFlow."""

load("//rules/private/config:transitions.bzl", "TRANSITION_ATTRS", "model_config")
load("//rules/private/outputs:declare.bzl", "declare_folder")
load("//rules/private/tfcarve:run_tfcarve.bzl", "run_tfcarve")
load(":model_run.bzl", "require_binary")

visibility("public")

def _golden_sample_impl(ctx):
    require_binary(ctx.label, ctx.file.model)
    folder = declare_folder(ctx, "sample")
    args = ctx.actions.args()
    args.add("golden")
    args.add(ctx.file.model)
    args.add_all("--sample", [folder], expand_directories = False)
    args.add_all(ctx.files.sample_inputs, before_each = "--data")
    run_tfcarve(
        ctx,
        args,
        inputs = [ctx.file.model] + ctx.files.sample_inputs,
        outputs = [folder],
        mnemonic = "TfGolden",
        progress_message = "Running %{label} in TensorFlow",
    )
    return [DefaultInfo(files = depset([folder]))]

_golden_sample = rule(
    implementation = _golden_sample_impl,
    cfg = model_config,
    attrs = TRANSITION_ATTRS | {
        "model": attr.label(allow_single_file = [".pb"], mandatory = True),
        "sample_inputs": attr.label(allow_single_file = [".npz"]),
        "_tfcarve": attr.label(default = "//tools:tfcarve_with_tensorflow", executable = True, cfg = "exec"),
    },
)

def tf_golden_sample(name, model, sample_inputs = None, **kwargs):
    """Runs a model once in full TensorFlow: <name>/sample has the values of its inputs and outputs.

    The folder has a .npy file for each Placeholder of the model and for each output, and sample.json, which lists them. Needs
    CPython 3.11. Full TensorFlow is fetched the first time: a download of about 0.3 GB, and 1.3 GB in the user's cache.

    Args:
      name: of the target.
      model: a frozen GraphDef in its binary format, such as a tf_prepared_model.
      sample_inputs: an .npz file with an array for each Placeholder, by its name; an additional first dimension is for
        several samples, of which the first is used. Default: random values.
      **kwargs: common attributes.
    """
    _golden_sample(
        name = name,
        model = model,
        sample_inputs = sample_inputs,
        **kwargs
    )
