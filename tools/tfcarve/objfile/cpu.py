"""The CPUs that libraries are built for, and their names and numbers in each format and tool."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cpu:
    """A CPU.

    Attributes:
      name: its constraint value in Bazel's @platforms//cpu.
      bits: width of an address.
      elf_machine: e_machine of ELF files (elf.h).
      macho_type: cputype of Mach-O files (mach/machine.h).
      macho_subtype: cpusubtype of Mach-O files (mach/machine.h).
      apple_name: name in Apple's tools, such as `lipo -archs`.
      android_abi: folder of its libraries in an APK.
      uname: names in `uname -m` of machines that run its programs and that tfcarve builds for.
    """

    name: str
    bits: int
    elf_machine: int
    macho_type: int
    macho_subtype: int
    apple_name: str
    android_abi: str
    uname: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name} ({self.bits} bits)"


_ALL = (
    Cpu("aarch64", 64, 183, 0x0100000C, 0, "arm64", "arm64-v8a", ("aarch64", "arm64")),
    Cpu("armv7", 32, 40, 12, 9, "armv7", "armeabi-v7a", ("armv7l",)),
    Cpu("x86_32", 32, 3, 7, 3, "i386", "x86", ()),
    Cpu("x86_64", 64, 62, 0x01000007, 3, "x86_64", "x86_64", ("x86_64",)),
)

BY_NAME = {cpu.name: cpu for cpu in _ALL}
BY_ELF_MACHINE = {cpu.elf_machine: cpu for cpu in _ALL}
BY_MACHO_TYPE = {cpu.macho_type: cpu for cpu in _ALL}
BY_APPLE_NAME = {cpu.apple_name: cpu for cpu in _ALL}
BY_ANDROID_ABI = {cpu.android_abi: cpu for cpu in _ALL}
BY_UNAME = {name: cpu for cpu in _ALL for name in cpu.uname}
