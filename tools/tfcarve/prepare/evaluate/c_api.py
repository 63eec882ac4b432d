"""TensorFlow's C API, loaded from the wheel's libraries with ctypes, without importing tensorflow.

Source: tensorflow/c/{c_api,tf_tensor,tf_tstring}.h.
"""

import ctypes
from ctypes import POINTER, c_char_p, c_int, c_int64, c_size_t, c_void_p
from pathlib import Path
from typing import Any


class Buffer(ctypes.Structure):
    """TF_Buffer: bytes, and the function that frees them."""

    _fields_ = (("data", c_void_p), ("length", c_size_t), ("deallocator", c_void_p))


class Output(ctypes.Structure):
    """TF_Output: an output of an operation, by its index."""

    _fields_ = (("operation", c_void_p), ("index", c_int))


_OUTPUTS, _TENSORS = POINTER(Output), POINTER(c_void_p)
# Function name: result type, argument types.
_FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "TF_AllocateTensor": (c_void_p, (c_int, POINTER(c_int64), c_int, c_size_t)),
    "TF_CloseSession": (None, (c_void_p, c_void_p)),
    "TF_DeleteGraph": (None, (c_void_p,)),
    "TF_DeleteSession": (None, (c_void_p, c_void_p)),
    "TF_DeleteTensor": (None, (c_void_p,)),
    "TF_Dim": (c_int64, (c_void_p, c_int)),
    "TF_GetAllOpList": (POINTER(Buffer), ()),
    "TF_GetCode": (c_int, (c_void_p,)),
    "TF_GraphGetTensorNumDims": (c_int, (c_void_p, Output, c_void_p)),
    "TF_GraphGetTensorShape": (None, (c_void_p, Output, POINTER(c_int64), c_int, c_void_p)),
    "TF_GraphImportGraphDef": (None, (c_void_p, POINTER(Buffer), c_void_p, c_void_p)),
    "TF_GraphNextOperation": (c_void_p, (c_void_p, POINTER(c_size_t))),
    "TF_GraphOperationByName": (c_void_p, (c_void_p, c_char_p)),
    "TF_LoadLibrary": (c_void_p, (c_char_p, c_void_p)),
    "TF_LoadSessionFromSavedModel": (
        c_void_p,
        (
            *(c_void_p, c_void_p, c_char_p, POINTER(c_char_p), c_int),
            *(c_void_p, c_void_p, c_void_p),
        ),
    ),
    "TF_Message": (c_char_p, (c_void_p,)),
    "TF_NewGraph": (c_void_p, ()),
    "TF_NewImportGraphDefOptions": (c_void_p, ()),
    "TF_NewSession": (c_void_p, (c_void_p, c_void_p, c_void_p)),
    "TF_NewSessionOptions": (c_void_p, ()),
    "TF_NewStatus": (c_void_p, ()),
    "TF_NumDims": (c_int, (c_void_p,)),
    "TF_OperationName": (c_char_p, (c_void_p,)),
    "TF_OperationNumOutputs": (c_int, (c_void_p,)),
    "TF_OperationOutputType": (c_int, (Output,)),
    "TF_SessionRun": (
        None,
        (
            *(c_void_p, c_void_p, _OUTPUTS, _TENSORS, c_int, _OUTPUTS, _TENSORS, c_int),
            *(c_void_p, c_int, c_void_p, c_void_p),
        ),
    ),
    "TF_SetConfig": (None, (c_void_p, c_char_p, c_size_t, c_void_p)),
    "TF_StringCopy": (None, (c_void_p, c_char_p, c_size_t)),
    "TF_StringGetDataPointer": (c_void_p, (c_void_p,)),
    "TF_StringGetSize": (c_size_t, (c_void_p,)),
    "TF_StringInit": (None, (c_void_p,)),
    "TF_TensorByteSize": (c_size_t, (c_void_p,)),
    "TF_TensorData": (c_void_p, (c_void_p,)),
    "TF_TensorType": (c_int, (c_void_p,)),
}


def load(folder: Path) -> Any:
    """Loads the functions above from the tensorflow package in `folder`."""
    ctypes.CDLL(str(folder / "libtensorflow_framework.so.2"), ctypes.RTLD_GLOBAL)
    library = ctypes.CDLL(str(folder / "libtensorflow_cc.so.2"))
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
