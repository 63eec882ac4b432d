"""TensorFlow's data types: numbers, names, and C++ spellings.

Source: tensorflow/core/framework/types.proto (numbers), types.cc (DataTypeFromString), types.h (MATCH_TYPE_AND_ENUM) of
2.21, which include all older types.
"""

import re
from types import MappingProxyType

REF_OFFSET = 100

_BY_NUMBER = {
    1: "float32",
    2: "float64",
    3: "int32",
    4: "uint8",
    5: "int16",
    6: "int8",
    7: "string",
    8: "complex64",
    9: "int64",
    10: "bool",
    11: "qint8",
    12: "quint8",
    13: "qint32",
    14: "bfloat16",
    15: "qint16",
    16: "quint16",
    17: "uint16",
    18: "complex128",
    19: "float16",
    20: "resource",
    21: "variant",
    22: "uint32",
    23: "uint64",
    24: "float8_e5m2",
    25: "float8_e4m3fn",
    26: "float8_e4m3fnuz",
    27: "float8_e4m3b11fnuz",
    28: "float8_e5m2fnuz",
    29: "int4",
    30: "uint4",
    31: "int2",
    32: "uint2",
}
BY_NUMBER = MappingProxyType(_BY_NUMBER)
NUMBER_OF = MappingProxyType({name: number for number, name in _BY_NUMBER.items()})

# The bytes of a value in memory; a type of less than eight bits takes a byte.
_BYTES = MappingProxyType(
    {
        **dict.fromkeys(("complex128",), 16),
        **dict.fromkeys(("float64", "int64", "uint64", "complex64"), 8),
        **dict.fromkeys(("float32", "int32", "uint32", "qint32"), 4),
        **dict.fromkeys(("float16", "bfloat16", "int16", "uint16", "qint16", "quint16"), 2),
        **dict.fromkeys(("uint8", "int8", "bool", "qint8", "quint8"), 1),
        **dict.fromkeys((name for name in _BY_NUMBER.values() if name.startswith("float8")), 1),
        **dict.fromkeys(("int4", "uint4", "int2", "uint2"), 1),
    }
)

# The names in op definitions that differ from the names here.
_SPEC_NAMES = MappingProxyType({"float": "float32", "double": "float64", "half": "float16"})

_ENUM_NAMES = MappingProxyType({"FLOAT": "float32", "DOUBLE": "float64", "HALF": "float16"})

_CPP_NAMES = MappingProxyType(
    {
        "float": "float32",
        "double": "float64",
        "int": "int32",
        "int32": "int32",
        "int32_t": "int32",
        "unsigned": "uint32",
        "uint32": "uint32",
        "uint32_t": "uint32",
        "int64": "int64",
        "int64_t": "int64",
        "longlong": "int64",
        "uint64": "uint64",
        "uint64_t": "uint64",
        "unsignedlonglong": "uint64",
        "int16": "int16",
        "int16_t": "int16",
        "uint16": "uint16",
        "uint16_t": "uint16",
        "int8": "int8",
        "int8_t": "int8",
        "signedchar": "int8",
        "uint8": "uint8",
        "uint8_t": "uint8",
        "unsignedchar": "uint8",
        "string": "string",
        "tstring": "string",
        "complex64": "complex64",
        "complex128": "complex128",
        "complex<float>": "complex64",
        "complex<double>": "complex128",
        "bool": "bool",
        "qint8": "qint8",
        "quint8": "quint8",
        "qint16": "qint16",
        "quint16": "quint16",
        "qint32": "qint32",
        "QInt8": "qint8",
        "QUInt8": "quint8",
        "QInt16": "qint16",
        "QUInt16": "quint16",
        "QInt32": "qint32",
        "bfloat16": "bfloat16",
        "half": "float16",
        "float8_e5m2": "float8_e5m2",
        "float8_e4m3fn": "float8_e4m3fn",
        "float8_e4m3fnuz": "float8_e4m3fnuz",
        "float8_e4m3b11fnuz": "float8_e4m3b11fnuz",
        "float8_e5m2fnuz": "float8_e5m2fnuz",
        "int4": "int4",
        "uint4": "uint4",
        "int2": "int2",
        "uint2": "uint2",
        "ResourceHandle": "resource",
        "Variant": "variant",
    }
)

_NAMESPACE = re.compile(r"(?:\w+\s*)?::\s*")


def byte_size(name: str) -> int | None:
    """Returns the bytes of a value of a type; None if they differ from value to value, or the type is unknown."""
    return _BYTES.get(name.removesuffix("_ref"))


def from_number(number: int) -> str | None:
    """Returns the name of DataType `number` (with `_ref` for a reference), or None."""
    if number > REF_OFFSET:
        base = _BY_NUMBER.get(number - REF_OFFSET)
        return None if base is None else f"{base}_ref"
    return _BY_NUMBER.get(number)


def enum_name(number: int) -> str | None:
    """Returns the enumerator of DataType `number`, such as DT_FLOAT or DT_INT32_REF, or None."""
    name = from_number(number)
    if name is None:
        return None
    base = name.removesuffix("_ref")
    enumerators = {known: enumerator for enumerator, known in _ENUM_NAMES.items()}
    return f"DT_{enumerators.get(base, base.upper())}{'_REF' if base != name else ''}"


def from_enum(text: str) -> str | None:
    """Returns the name of a C++ enumerator such as DT_INT32 or TF_FLOAT, or None."""
    for prefix in ("DT_", "TF_"):
        if text.startswith(prefix):
            base, ref, _ = text.removeprefix(prefix).partition("_REF")
            name = _ENUM_NAMES.get(base, base.lower())
            if name in NUMBER_OF:
                return name + ref.lower()
    return None


def from_spec(text: str) -> str | None:
    """Returns the name for a type in an op definition (float, half_ref, …), or None."""
    base = text.removesuffix("_ref")
    name = _SPEC_NAMES.get(base, base)
    if name not in NUMBER_OF:
        return None
    return name if base == text else f"{name}_ref"


def from_cpp(text: str) -> str | None:
    """Returns the name for a C++ type (`Eigen::half`, `std::complex<float>`), or None."""
    return _CPP_NAMES.get("".join(_NAMESPACE.sub("", text).split()))
