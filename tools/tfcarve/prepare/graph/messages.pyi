"""The types of the fields that the tools use; messages.py has the numbers."""

from collections.abc import Iterable, MutableMapping, MutableSequence

from google.protobuf.internal.containers import MessageMap, RepeatedCompositeFieldContainer
from google.protobuf.message import Message

class Dim(Message):
    size: int
    name: str

class TensorShapeProto(Message):
    unknown_rank: bool
    def __init__(self, *, dim: Iterable[object] = ..., unknown_rank: bool = ...) -> None: ...
    @property
    def dim(self) -> RepeatedCompositeFieldContainer[Dim]: ...

class TensorProto(Message):
    dtype: int
    tensor_content: bytes
    float8_val: bytes
    def __init__(self, *, dtype: int = ...) -> None: ...
    @property
    def tensor_shape(self) -> TensorShapeProto: ...
    @property
    def string_val(self) -> MutableSequence[bytes]: ...

class ListValue(Message):
    @property
    def s(self) -> MutableSequence[bytes]: ...
    @property
    def i(self) -> MutableSequence[int]: ...
    @property
    def f(self) -> MutableSequence[float]: ...
    @property
    def b(self) -> MutableSequence[bool]: ...
    @property
    def type(self) -> MutableSequence[int]: ...
    @property
    def shape(self) -> RepeatedCompositeFieldContainer[TensorShapeProto]: ...
    @property
    def tensor(self) -> RepeatedCompositeFieldContainer[TensorProto]: ...
    @property
    def func(self) -> RepeatedCompositeFieldContainer[NameAttrList]: ...

class AttrValue(Message):
    s: bytes
    i: int
    f: float
    b: bool
    type: int
    placeholder: str
    def __init__(
        self,
        *,
        s: bytes = ...,
        i: int = ...,
        f: float = ...,
        b: bool = ...,
        type: int = ...,  # noqa: A002
        shape: TensorShapeProto = ...,
        tensor: TensorProto = ...,
        func: NameAttrList = ...,
    ) -> None: ...
    @property
    def list(self) -> ListValue: ...
    @property
    def shape(self) -> TensorShapeProto: ...
    @property
    def tensor(self) -> TensorProto: ...
    @property
    def func(self) -> NameAttrList: ...

class NameAttrList(Message):
    name: str
    @property
    def attr(self) -> MessageMap[str, AttrValue]: ...

class NodeDef(Message):
    name: str
    op: str
    device: str
    def __init__(
        self,
        *,
        name: str = ...,
        op: str = ...,
        input: Iterable[str] = ...,  # noqa: A002
        device: str = ...,
    ) -> None: ...
    @property
    def input(self) -> MutableSequence[str]: ...
    @property
    def attr(self) -> MessageMap[str, AttrValue]: ...

class ArgDef(Message):
    name: str
    type: int
    type_attr: str
    number_attr: str
    type_list_attr: str
    is_ref: bool

class AttrDef(Message):
    name: str
    type: str
    has_minimum: bool
    minimum: int
    @property
    def default_value(self) -> AttrValue: ...
    @property
    def allowed_values(self) -> AttrValue: ...

class OpDef(Message):
    name: str
    @property
    def control_output(self) -> MutableSequence[str]: ...
    is_commutative: bool
    is_stateful: bool
    @property
    def input_arg(self) -> RepeatedCompositeFieldContainer[ArgDef]: ...
    @property
    def output_arg(self) -> RepeatedCompositeFieldContainer[ArgDef]: ...
    @property
    def attr(self) -> RepeatedCompositeFieldContainer[AttrDef]: ...

class OpList(Message):
    @property
    def op(self) -> RepeatedCompositeFieldContainer[OpDef]: ...

class FunctionDef(Message):
    @property
    def signature(self) -> OpDef: ...
    @property
    def node_def(self) -> RepeatedCompositeFieldContainer[NodeDef]: ...
    @property
    def ret(self) -> MutableMapping[str, str]: ...
    @property
    def attr(self) -> MessageMap[str, AttrValue]: ...
    @property
    def arg_attr(self) -> MessageMap[int, ArgAttrs]: ...
    @property
    def control_ret(self) -> MutableMapping[str, str]: ...

class GradientDef(Message): ...
class RegisteredGradient(Message): ...

class FunctionDefLibrary(Message):
    @property
    def function(self) -> RepeatedCompositeFieldContainer[FunctionDef]: ...
    @property
    def gradient(self) -> RepeatedCompositeFieldContainer[GradientDef]: ...
    @property
    def registered_gradients(self) -> RepeatedCompositeFieldContainer[RegisteredGradient]: ...

class VersionDef(Message):
    producer: int
    min_consumer: int
    @property
    def bad_consumers(self) -> MutableSequence[int]: ...

class ArgAttrs(Message):
    @property
    def attr(self) -> MessageMap[str, AttrValue]: ...

class GraphDef(Message):
    def __init__(
        self,
        *,
        node: Iterable[NodeDef] = ...,
        library: FunctionDefLibrary = ...,
        versions: VersionDef = ...,
    ) -> None: ...
    @property
    def versions(self) -> VersionDef: ...
    @property
    def node(self) -> RepeatedCompositeFieldContainer[NodeDef]: ...
    @property
    def library(self) -> FunctionDefLibrary: ...
