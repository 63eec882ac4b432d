"""Runs the initializers and functions of a Mach-O library on an emulated arm64 CPU.

The library must not import symbols. Format: Apple's mach-o/loader.h.
"""

import struct
from pathlib import Path

import lief
from unicorn import UC_ARCH_ARM64, UC_MODE_ARM
from unicorn.arm64_const import UC_ARM64_REG_LR, UC_ARM64_REG_SP, UC_ARM64_REG_X0
from unicorn.unicorn import Uc

_PAGE = 0x4000
_STACK = 0x7000000000
_STACK_SIZE = 0x100000
_RETURN = 0x6000000000
_MOST_INSTRUCTIONS = 1_000_000


class Loaded:
    """A library in the emulator's memory, before its initializers run."""

    def __init__(self, path: Path) -> None:
        lief.logging.disable()
        fat = lief.MachO.parse(str(path))
        binary = fat.at(0) if fat is not None else None
        assert binary is not None, path
        self._symbols = {str(symbol.name): symbol.value for symbol in binary.symbols}
        self._cpu = Uc(UC_ARCH_ARM64, UC_MODE_ARM)
        data = path.read_bytes()
        for segment in binary.segments:
            size = -(-segment.virtual_size // _PAGE) * _PAGE
            if size and str(segment.name) != "__PAGEZERO":
                # Libraries start at address 0; only executables have an unmapped __PAGEZERO.
                start = segment.virtual_address
                self._cpu.mem_map(start, size)
                content = data[segment.file_offset : segment.file_offset + segment.file_size]
                self._cpu.mem_write(start, content)
        for fixup in binary.relocations:
            target = getattr(fixup, "target", None)
            if target is not None:
                self._cpu.mem_write(fixup.address, struct.pack("<Q", target))
        self._cpu.mem_map(_STACK, _STACK_SIZE)
        self._cpu.mem_map(_RETURN, _PAGE)
        self._initializers = [
            address
            for section in binary.sections
            for address in self._addresses(str(section.name), section, binary.imagebase)
        ]

    def _addresses(self, name: str, section: lief.MachO.Section, base: int) -> list[int]:
        data = bytes(self._cpu.mem_read(section.virtual_address, section.size))
        if name == "__mod_init_func":
            return list(struct.unpack(f"<{len(data) // 8}Q", data))
        if name == "__init_offsets":
            return [base + offset for offset in struct.unpack(f"<{len(data) // 4}I", data)]
        return []

    def initialize(self) -> int:
        """Runs the initializers and returns their number."""
        for address in self._initializers:
            self._call(address)
        return len(self._initializers)

    def call(self, symbol: str) -> int:
        """Calls a function without parameters and returns its 32-bit result."""
        return self._call(self._symbols[symbol]) & 0xFFFFFFFF

    def _call(self, address: int) -> int:
        self._cpu.reg_write(UC_ARM64_REG_SP, _STACK + _STACK_SIZE // 2)
        self._cpu.reg_write(UC_ARM64_REG_LR, _RETURN)
        self._cpu.emu_start(address, _RETURN, count=_MOST_INSTRUCTIONS)
        return int(self._cpu.reg_read(UC_ARM64_REG_X0))
