"""The TensorFlow releases that tfcarve builds: one folder here each."""

visibility(["//rules", "//tests/..."])

RELEASES = [
    "2.14",
    "2.16",
]

# The release for apps that do not choose one.
DEFAULT_RELEASE = "2.14"
