"""TensorFlow's messages for graphs, as protobuf classes that do not need tensorflow.

Source of the names and numbers: tensorflow/core/framework/{attr_value,function,full_type,graph,graph_debug_info,
node_def,op_def,resource_handle,tensor,tensor_shape,types,variant,versions}.proto. The types are in messages.pyi.
"""

from tfcarve.prepare.graph import message_pool

FILE = "tfcarve/messages.proto"
_MESSAGES = {
    "Dim": "size 1 int64, name 2 string",
    "TensorShapeProto": "dim 2 *Dim, unknown_rank 3 bool",
    "TensorProto": (
        "dtype 1 DataType, tensor_shape 2 TensorShapeProto, version_number 3 int32, tensor_content 4 bytes, "
        "float_val 5 *float, double_val 6 *double, int_val 7 *int32, string_val 8 *bytes, scomplex_val 9 *float, "
        "int64_val 10 *int64, bool_val 11 *bool, dcomplex_val 12 *double, half_val 13 *int32, "
        "uint32_val 16 *uint32, uint64_val 17 *uint64, float8_val 18 bytes"
    ),
    "ListValue": (
        "s 2 *bytes, i 3 *int64, f 4 *float, b 5 *bool, type 6 *DataType, shape 7 *TensorShapeProto, "
        "tensor 8 *TensorProto, func 9 *NameAttrList"
    ),
    "AttrValue": (
        "list 1 |ListValue, s 2 |bytes, i 3 |int64, f 4 |float, b 5 |bool, type 6 |DataType, "
        "shape 7 |TensorShapeProto, tensor 8 |TensorProto, placeholder 9 |string, func 10 |NameAttrList"
    ),
    "NameAttrList": "name 1 string, attr 2 {string}AttrValue",
    "DebugInfo": "original_node_names 1 *string, original_func_names 2 *string",
    "FullTypeDef": "type_id 1 int32, args 2 *FullTypeDef, s 3 |string, i 4 |int64",
    "NodeDef": (
        "name 1 string, op 2 string, input 3 *string, device 4 string, attr 5 {string}AttrValue, "
        "experimental_debug_info 6 DebugInfo, experimental_type 7 FullTypeDef"
    ),
    "ArgDef": (
        "name 1 string, description 2 string, type 3 DataType, type_attr 4 string, number_attr 5 string, "
        "type_list_attr 6 string, is_ref 16 bool, experimental_full_type 17 FullTypeDef"
    ),
    "AttrDef": (
        "name 1 string, type 2 string, default_value 3 AttrValue, description 4 string, has_minimum 5 bool, "
        "minimum 6 int64, allowed_values 7 AttrValue"
    ),
    "OpDeprecation": "version 1 int32, explanation 2 string",
    "OpDef": (
        "name 1 string, input_arg 2 *ArgDef, output_arg 3 *ArgDef, control_output 20 *string, attr 4 *AttrDef, "
        "deprecation 8 OpDeprecation, summary 5 string, description 6 string, is_commutative 18 bool, "
        "is_aggregate 16 bool, is_stateful 17 bool, allows_uninitialized_input 19 bool, "
        "is_distributed_communication 21 bool"
    ),
    "OpList": "op 1 *OpDef",
    "ArgAttrs": "attr 1 {string}AttrValue",
    "FunctionDef": (
        "signature 1 OpDef, node_def 3 *NodeDef, ret 4 {string}string, attr 5 {string}AttrValue, "
        "control_ret 6 {string}string, arg_attr 7 {uint32}ArgAttrs, resource_arg_unique_id 8 {uint32}uint32"
    ),
    "GradientDef": "function_name 1 string, gradient_func 2 string",
    "RegisteredGradient": "gradient_func 1 string, registered_op_type 2 string",
    "FunctionDefLibrary": (
        "function 1 *FunctionDef, gradient 2 *GradientDef, registered_gradients 3 *RegisteredGradient"
    ),
    "VersionDef": "producer 1 int32, min_consumer 2 int32, bad_consumers 3 *int32",
    "GraphDef": "node 1 *NodeDef, library 2 FunctionDefLibrary, version 3 int32, versions 4 VersionDef",
}

_CLASSES = message_pool.classes(FILE, _MESSAGES)

ArgDef = _CLASSES["ArgDef"]
AttrDef = _CLASSES["AttrDef"]
AttrValue = _CLASSES["AttrValue"]
FunctionDef = _CLASSES["FunctionDef"]
FunctionDefLibrary = _CLASSES["FunctionDefLibrary"]
GraphDef = _CLASSES["GraphDef"]
NameAttrList = _CLASSES["NameAttrList"]
NodeDef = _CLASSES["NodeDef"]
OpDef = _CLASSES["OpDef"]
OpList = _CLASSES["OpList"]
TensorProto = _CLASSES["TensorProto"]
TensorShapeProto = _CLASSES["TensorShapeProto"]
