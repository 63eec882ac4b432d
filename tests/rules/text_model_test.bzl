"""Analysis tests of rules that run a model, with a GraphDef in the text format."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("//rules:defs.bzl", "tf_model_benchmark", "tf_model_test")

def _refused(file):
    def impl(ctx):
        env = analysistest.begin(ctx)
        asserts.expect_failure(env, "tests/rules/%s is a text file: a library reads only binary GraphDefs" % file)
        asserts.expect_failure(env, "`tfcarve freeze tests/rules/%s -o tests/rules/graph.pb`" % file)
        return analysistest.end(env)

    return analysistest.make(impl, expect_failure = True)

pbtxt_test = _refused("graph.pbtxt")
pb_txt_test = _refused("graph.pb.txt")

_TESTS = {
    "graph.pb.txt": pb_txt_test,
    "graph.pbtxt": pbtxt_test,
}

def text_models(name):
    """Targets of each rule that runs a model, for each extension of text files, with their tests.

    Args:
      name: the start of the names of these targets.
    """
    for file, test in _TESTS.items():
        tf_model_test(
            name = "%s_test_of_%s" % (name, file),
            goldens = {"z": "x.npy"},
            library = ":library",
            model = file,
            tags = ["manual"],
        )
        tf_model_benchmark(
            name = "%s_benchmark_of_%s" % (name, file),
            library = ":library",
            model = file,
            outputs = ["z"],
            random_inputs = {"x": "float32:2"},
            tags = ["manual"],
        )
        for rule in ["test", "benchmark"]:
            test(
                name = "%s_%s_of_%s_test" % (name, rule, file),
                target_under_test = "%s_%s_of_%s" % (name, rule, file),
            )
