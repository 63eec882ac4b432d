"""TensorFlow's messages for SavedModels, as protobuf classes that do not need tensorflow.

Source of the names and numbers: tensorflow/core/protobuf/{meta_graph,saved_model,saved_object_graph,saver,struct,
trackable_object_graph}.proto. The types are in saved_model_messages.pyi.
"""

from tfcarve.prepare.graph import message_pool, messages

_MESSAGES = {
    "CooSparse": "values_tensor_name 1 string, indices_tensor_name 2 string, dense_shape_tensor_name 3 string",
    "CompositeTensor": "type_spec 1 TypeSpecProto, components 2 *TensorInfo",
    "TensorInfo": (
        "name 1 |string, coo_sparse 4 |CooSparse, composite_tensor 5 |CompositeTensor, dtype 2 DataType, "
        "tensor_shape 3 TensorShapeProto"
    ),
    "SignatureDef": "inputs 1 {string}TensorInfo, outputs 2 {string}TensorInfo, method_name 3 string",
    "AssetFileDef": "tensor_info 1 TensorInfo, filename 2 string",
    "SaverDef": "filename_tensor_name 1 string, save_tensor_name 2 string, restore_op_name 3 string",
    "NodeList": "value 1 *string",
    "AnyList": "value 1 *google.protobuf.Any",
    "CollectionDef": "node_list 1 |NodeList, any_list 5 |AnyList",
    "MetaInfoDef": "tags 4 *string",
    "MetaGraphDef": (
        "meta_info_def 1 MetaInfoDef, graph_def 2 GraphDef, saver_def 3 SaverDef, "
        "collection_def 4 {string}CollectionDef, signature_def 5 {string}SignatureDef, asset_file_def 6 *AssetFileDef, "
        "object_graph_def 7 SavedObjectGraph"
    ),
    "SavedModel": "saved_model_schema_version 1 int64, meta_graphs 2 *MetaGraphDef",
    "SavedObjectGraph": "nodes 1 *SavedObject, concrete_functions 2 {string}SavedConcreteFunction",
    "ObjectReference": "node_id 1 int32, local_name 2 string",
    "SavedObject": (
        "children 1 *ObjectReference, user_object 4 |SavedUserObject, asset 5 |SavedAsset, function 6 |SavedFunction, "
        "variable 7 |SavedVariable, bare_concrete_function 8 |SavedBareConcreteFunction, constant 9 |SavedConstant, "
        "resource 10 |SavedResource, captured_tensor 12 |CapturedTensor"
    ),
    "SavedUserObject": "identifier 1 string",
    "SavedAsset": "asset_file_def_index 1 int32",
    "SavedFunction": "concrete_functions 1 *string, function_spec 2 FunctionSpec",
    "SavedVariable": "dtype 1 DataType, shape 2 TensorShapeProto, name 6 string",
    "SavedBareConcreteFunction": "concrete_function_name 1 string, function_spec 4 FunctionSpec",
    "SavedConstant": "operation 1 string",
    "SavedResource": "device 1 string",
    "CapturedTensor": "name 1 string, concrete_function 2 string",
    "SavedConcreteFunction": (
        "bound_inputs 2 *int32, canonicalized_input_signature 3 StructuredValue, output_signature 4 StructuredValue"
    ),
    "FunctionSpec": "fullargspec 1 StructuredValue, is_method 2 bool",
    "StructuredValue": (
        "none_value 1 |NoneValue, float64_value 11 |double, int64_value 12 |sint64, string_value 13 |string, "
        "bool_value 14 |bool, tensor_shape_value 31 |TensorShapeProto, tensor_dtype_value 32 |DataType, "
        "tensor_spec_value 33 |TensorSpecProto, type_spec_value 34 |TypeSpecProto, "
        "bounded_tensor_spec_value 35 |TensorSpecProto, list_value 51 |StructuredList, tuple_value 52 |StructuredList, "
        "dict_value 53 |StructuredDict, named_tuple_value 54 |NamedTuple"
    ),
    "NoneValue": "",
    "StructuredList": "values 1 *StructuredValue",
    "StructuredDict": "fields 1 {string}StructuredValue",
    "NamedTuple": "name 1 string, values 2 *NamedValue",
    "NamedValue": "key 1 string, value 2 StructuredValue",
    "TensorSpecProto": "name 1 string, shape 2 TensorShapeProto, dtype 3 DataType",
    "TypeSpecProto": "type_spec_class_name 3 string, num_flat_components 4 int32",
    "TrackableObjectGraph": "nodes 1 *TrackableObject",
    "TrackableObject": "children 1 *ObjectReference, attributes 2 *SerializedTensor",
    "SerializedTensor": "name 1 string, full_name 2 string, checkpoint_key 3 string",
}

_CLASSES = message_pool.classes("tfcarve/saved_model.proto", _MESSAGES, messages.FILE)

AssetFileDef = _CLASSES["AssetFileDef"]
MetaGraphDef = _CLASSES["MetaGraphDef"]
SavedModel = _CLASSES["SavedModel"]
SignatureDef = _CLASSES["SignatureDef"]
TrackableObjectGraph = _CLASSES["TrackableObjectGraph"]
