"""The configuration that every carved library is built in, whatever the app's own flags are."""

visibility("private")

_COMPILATION_MODE = "//command_line_option:compilation_mode"
_FORCE_PIC = "//command_line_option:force_pic"

def _canonical_config_impl(_settings, _attr):
    # One set of objects serves the archive and the shared library.
    return {_COMPILATION_MODE: "opt", _FORCE_PIC: True}

canonical_config = transition(
    implementation = _canonical_config_impl,
    inputs = [],
    outputs = [_COMPILATION_MODE, _FORCE_PIC],
)
