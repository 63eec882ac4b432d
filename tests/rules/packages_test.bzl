"""Analysis tests of tf_python_wheel, tf_library_archive and tf_golden_sample."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load(":argv.bzl", "argv", "own")

def _wheel_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.equals(
        env,
        ["wheel", "tests/rules/library/libtensorflow-core.so", "--model", "tests/rules/model.pb"] +
        ["--name", "my_models", "--version", "1.2", "--licenses", "tests/rules/library/licenses"] +
        ["--sbom", "tests/rules/library/sbom.spdx.json", "-o", "tests/rules/wheel/linux_x86_64"],
        [own(word) for word in argv(env, "TfWheel")],
    )
    files = analysistest.target_under_test(env)[DefaultInfo].files.to_list()
    asserts.equals(env, ["tests/rules/wheel/linux_x86_64"], [f.short_path for f in files])
    proofs = analysistest.target_under_test(env)[OutputGroupInfo]._validation.to_list()
    asserts.equals(env, ["proof.json"], [f.basename for f in proofs])
    return analysistest.end(env)

wheel_test = analysistest.make(_wheel_impl)

def _archive_impl(ctx):
    env = analysistest.begin(ctx)
    words = [_own_file(word) for word in argv(env, "TfArchive")]
    for word in [
        "sbom.spdx.json=tests/rules/library/sbom.spdx.json",
        "licenses=tests/rules/library/licenses",
        "licenses/notice.txt=tests/rules/notice.txt",
        "libtensorflow-core.so=tests/rules/library/libtensorflow-core.so",
        "include=tests/rules/library/include",
    ]:
        asserts.true(env, word in words, "%s is not in %s" % (word, words))
    asserts.false(env, any([word.startswith("include_cpp=") for word in words]), "it has the headers of the C++ interface")
    files = analysistest.target_under_test(env)[DefaultInfo].files.to_list()
    asserts.equals(env, ["tests/rules/archive/linux_x86_64"], [f.short_path for f in files])
    proofs = analysistest.target_under_test(env)[OutputGroupInfo]._validation.to_list()
    asserts.equals(env, ["proof.json"], [f.basename for f in proofs])
    return analysistest.end(env)

def _own_file(word):
    """PATH=FILE with the file's path in its package."""
    path, equals, file = word.partition("=")
    return path + equals + own(file) if equals else own(word)

archive_test = analysistest.make(_archive_impl)

def _sample_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.equals(
        env,
        ["golden", "tests/rules/model.pb", "--sample", "tests/rules/golden/sample", "--data", "tests/rules/x.npz"],
        [own(word) for word in argv(env, "TfGolden")],
    )
    return analysistest.end(env)

golden_sample_test = analysistest.make(_sample_impl)
