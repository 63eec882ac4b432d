package org.tfcarve;

/** The type of a tensor's elements. The numbers are those of TensorFlow's DataType. */
public enum TfType {
  FLOAT32(1, 4),
  FLOAT64(2, 8),
  INT32(3, 4),
  UINT8(4, 1),
  INT16(5, 2),
  INT8(6, 1),
  /** Each element is a sequence of bytes. */
  STRING(7, 0),
  COMPLEX64(8, 8),
  INT64(9, 8),
  BOOL(10, 1),
  BFLOAT16(14, 2),
  UINT16(17, 2),
  COMPLEX128(18, 16),
  FLOAT16(19, 2),
  UINT32(22, 4),
  UINT64(23, 8);

  final int number;

  /** The size of an element in bytes; 0 for strings. */
  final int size;

  TfType(int number, int size) {
    this.number = number;
    this.size = size;
  }

  /** Returns the type with a number, or null if there is none. */
  static TfType of(int number) {
    for (TfType type : values()) {
      if (type.number == number) {
        return type;
      }
    }
    return null;
  }
}
