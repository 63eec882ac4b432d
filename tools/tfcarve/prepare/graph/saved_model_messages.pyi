"""The types of the fields that the tools use; saved_model_messages.py has the numbers."""

from collections.abc import Mapping, MutableSequence

from google.protobuf.any_pb2 import Any
from google.protobuf.internal.containers import MessageMap, RepeatedCompositeFieldContainer
from google.protobuf.message import Message

from tfcarve.prepare.graph.messages import GraphDef, TensorShapeProto

class CooSparse(Message):
    values_tensor_name: str
    indices_tensor_name: str
    dense_shape_tensor_name: str

class CompositeTensor(Message):
    @property
    def components(self) -> RepeatedCompositeFieldContainer[TensorInfo]: ...

class TensorInfo(Message):
    name: str
    dtype: int
    @property
    def coo_sparse(self) -> CooSparse: ...
    @property
    def composite_tensor(self) -> CompositeTensor: ...
    @property
    def tensor_shape(self) -> TensorShapeProto: ...

class SignatureDef(Message):
    @property
    def inputs(self) -> MessageMap[str, TensorInfo]: ...
    @property
    def outputs(self) -> MessageMap[str, TensorInfo]: ...

class AssetFileDef(Message):
    filename: str
    @property
    def tensor_info(self) -> TensorInfo: ...

class SaverDef(Message):
    restore_op_name: str

class NodeList(Message):
    @property
    def value(self) -> MutableSequence[str]: ...

class AnyList(Message):
    @property
    def value(self) -> RepeatedCompositeFieldContainer[Any]: ...

class CollectionDef(Message):
    @property
    def node_list(self) -> NodeList: ...
    @property
    def any_list(self) -> AnyList: ...

class MetaInfoDef(Message):
    @property
    def tags(self) -> MutableSequence[str]: ...

class MetaGraphDef(Message):
    @property
    def meta_info_def(self) -> MetaInfoDef: ...
    @property
    def graph_def(self) -> GraphDef: ...
    @property
    def saver_def(self) -> SaverDef: ...
    @property
    def collection_def(self) -> Mapping[str, CollectionDef]: ...
    @property
    def signature_def(self) -> Mapping[str, SignatureDef]: ...
    @property
    def asset_file_def(self) -> RepeatedCompositeFieldContainer[AssetFileDef]: ...
    @property
    def object_graph_def(self) -> Message: ...

class SavedModel(Message):
    @property
    def meta_graphs(self) -> RepeatedCompositeFieldContainer[MetaGraphDef]: ...

class ObjectReference(Message):
    node_id: int
    local_name: str

class SerializedTensor(Message):
    name: str
    full_name: str
    checkpoint_key: str

class TrackableObject(Message):
    @property
    def children(self) -> RepeatedCompositeFieldContainer[ObjectReference]: ...
    @property
    def attributes(self) -> RepeatedCompositeFieldContainer[SerializedTensor]: ...

class TrackableObjectGraph(Message):
    @property
    def nodes(self) -> RepeatedCompositeFieldContainer[TrackableObject]: ...
