"""GoogleTest, which TensorFlow's own tests use."""

load("//rules/private/sources:source_repository.bzl", "source_repository")

def _extension_impl(_ctx):
    source_repository(
        name = "googletest",
        build_file = Label("//third_party/googletest:googletest.BUILD"),
        pin = "googletest",
        pins = Label("//third_party/googletest:pins.json"),
    )

extension = module_extension(
    implementation = _extension_impl,
    doc = "GoogleTest, in the repository `googletest`.",
)
