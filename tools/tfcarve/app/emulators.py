"""The commands that run a platform's programs on a Linux machine with an x86-64 CPU."""

from collections.abc import Mapping
from types import MappingProxyType

# A platform without an entry runs nowhere here: Android's and iOS' programs need their systems.
EMULATORS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "linux_x86_64": (),
        "linux_arm64": ("qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu"),
        # qemu's default CPU would also run instructions that a Raspberry Pi 2 does not have.
        "linux_armv7": (
            *("qemu-arm-static", "-cpu", "cortex-a7"),
            *("-L", "/usr/arm-linux-gnueabihf"),
        ),
    }
)
