import TensorFlowCore

/// The type of a tensor's elements; the numbers are those of TensorFlow's DataType.
public enum TensorType: Int32 {
  case float32 = 1
  case float64 = 2
  case int32 = 3
  case uint8 = 4
  case int16 = 5
  case int8 = 6
  /// Each element is a sequence of bytes.
  case string = 7
  case complex64 = 8
  case int64 = 9
  case bool = 10
  case bfloat16 = 14
  case uint16 = 17
  case complex128 = 18
  case float16 = 19
  case uint32 = 22
  case uint64 = 23
}

/// A type of Swift that the elements of a tensor can have.
public protocol TensorScalar {
  static var tensorType: TensorType { get }
}

extension Float: TensorScalar {
  public static var tensorType: TensorType { .float32 }
}

extension Double: TensorScalar {
  public static var tensorType: TensorType { .float64 }
}

extension Int8: TensorScalar {
  public static var tensorType: TensorType { .int8 }
}

extension Int16: TensorScalar {
  public static var tensorType: TensorType { .int16 }
}

extension Int32: TensorScalar {
  public static var tensorType: TensorType { .int32 }
}

extension Int64: TensorScalar {
  public static var tensorType: TensorType { .int64 }
}

extension UInt8: TensorScalar {
  public static var tensorType: TensorType { .uint8 }
}

extension UInt16: TensorScalar {
  public static var tensorType: TensorType { .uint16 }
}

extension UInt32: TensorScalar {
  public static var tensorType: TensorType { .uint32 }
}

extension UInt64: TensorScalar {
  public static var tensorType: TensorType { .uint64 }
}

extension Bool: TensorScalar {
  public static var tensorType: TensorType { .bool }
}
