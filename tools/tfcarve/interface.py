"""The symbols that apps bind to: the interface of carved libraries."""

import re

# tfcarve's C API, the interface of a Flex delegate, and what the Java virtual machine looks up.
_C = r"tfcarve_|TF_AcquireFlexDelegate$|tflite_plugin_(?:create|destroy)_delegate$|Java_|JNI_On(?:Load|Unload)$"
# tflite::AcquireFlexDelegate(): the definition that replaces the interpreter's weak one in a static link.
_CXX = r"_ZN6tflite19AcquireFlexDelegateEv$"
# Mach-O object files have an underscore before each C name.
_PUBLIC = re.compile(f"_?(?:{_C}|{_CXX})")


def is_public(symbol: str) -> bool:
    """Returns whether a symbol of an ELF or Mach-O file belongs to the interface."""
    return bool(_PUBLIC.match(symbol))
