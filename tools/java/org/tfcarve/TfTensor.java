package org.tfcarve;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;

/** A tensor: a type, a shape, and elements in row-major order. */
public final class TfTensor {
  private final TfType type;
  private final long[] shape;
  // A direct buffer with the native byte order, or byte[][] for strings.
  private final Object elements;

  TfTensor(TfType type, long[] shape, Object elements) {
    this.type = type;
    this.shape = shape;
    this.elements = elements;
  }

  /**
   * Returns a tensor of FLOAT32 with a copy of the values.
   *
   * @param shape the sizes; none for a scalar.
   * @throws IllegalArgumentException if the shape has another number of elements.
   */
  public static TfTensor of(float[] values, long... shape) {
    ByteBuffer memory = memory(TfType.FLOAT32, Objects.requireNonNull(values, "values").length, shape);
    memory.asFloatBuffer().put(values);
    return new TfTensor(TfType.FLOAT32, shape.clone(), memory);
  }

  /** Returns a tensor of FLOAT64 with a copy of the values. */
  public static TfTensor of(double[] values, long... shape) {
    ByteBuffer memory = memory(TfType.FLOAT64, Objects.requireNonNull(values, "values").length, shape);
    memory.asDoubleBuffer().put(values);
    return new TfTensor(TfType.FLOAT64, shape.clone(), memory);
  }

  /** Returns a tensor of INT32 with a copy of the values. */
  public static TfTensor of(int[] values, long... shape) {
    ByteBuffer memory = memory(TfType.INT32, Objects.requireNonNull(values, "values").length, shape);
    memory.asIntBuffer().put(values);
    return new TfTensor(TfType.INT32, shape.clone(), memory);
  }

  /** Returns a tensor of INT64 with a copy of the values. */
  public static TfTensor of(long[] values, long... shape) {
    ByteBuffer memory = memory(TfType.INT64, Objects.requireNonNull(values, "values").length, shape);
    memory.asLongBuffer().put(values);
    return new TfTensor(TfType.INT64, shape.clone(), memory);
  }

  /** Returns a tensor of BOOL with a copy of the values. */
  public static TfTensor of(boolean[] values, long... shape) {
    ByteBuffer memory = memory(TfType.BOOL, Objects.requireNonNull(values, "values").length, shape);
    for (int i = 0; i < values.length; i++) {
      memory.put(i, (byte) (values[i] ? 1 : 0));
    }
    return new TfTensor(TfType.BOOL, shape.clone(), memory);
  }

  /** Returns a tensor of UINT8 with a copy of the values. */
  public static TfTensor of(byte[] values, long... shape) {
    ByteBuffer memory = memory(TfType.UINT8, Objects.requireNonNull(values, "values").length, shape);
    memory.duplicate().put(values);
    return new TfTensor(TfType.UINT8, shape.clone(), memory);
  }

  /** Returns a tensor of STRING with the UTF-8 bytes of the values. */
  public static TfTensor of(String[] values, long... shape) {
    byte[][] bytes = new byte[Objects.requireNonNull(values, "values").length][];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = Objects.requireNonNull(values[i], "an element").getBytes(StandardCharsets.UTF_8);
    }
    return of(bytes, shape);
  }

  /** Returns a tensor of STRING with the values, which must not be changed later. */
  public static TfTensor of(byte[][] values, long... shape) {
    check(TfType.STRING, Objects.requireNonNull(values, "values").length, shape);
    for (byte[] value : values) {
      Objects.requireNonNull(value, "an element");
    }
    return new TfTensor(TfType.STRING, shape.clone(), values.clone());
  }

  /**
   * Returns a tensor with the remaining bytes of a buffer. If it is direct, they are not copied, and
   * must not be changed while a model runs with them.
   *
   * @param type of the elements; not STRING.
   * @param elements in the byte order of the CPU (ByteOrder.nativeOrder()).
   * @param shape the sizes; none for a scalar.
   */
  public static TfTensor of(TfType type, ByteBuffer elements, long... shape) {
    if (Objects.requireNonNull(type, "type") == TfType.STRING) {
      throw new IllegalArgumentException("a tensor of STRING needs an array of String or byte[]");
    }
    ByteBuffer rest = Objects.requireNonNull(elements, "elements").slice();
    if (rest.remaining() % type.size != 0) {
      throw new IllegalArgumentException(
          rest.remaining() + " bytes are not a multiple of the size of " + name(type));
    }
    long count = rest.remaining() / type.size;
    if (rest.isDirect()) {
      check(type, count, shape);
      return new TfTensor(type, shape.clone(), rest.order(ByteOrder.nativeOrder()));
    }
    ByteBuffer memory = memory(type, count, shape);
    memory.duplicate().put(rest);
    return new TfTensor(type, shape.clone(), memory);
  }

  /** Returns the type of the elements. */
  public TfType type() {
    return type;
  }

  /** Returns the sizes; none for a scalar. */
  public long[] shape() {
    return shape.clone();
  }

  /** Returns the elements of a tensor that is not of STRING: a read-only view, without a copy. */
  public ByteBuffer buffer() {
    if (type == TfType.STRING) {
      throw new IllegalStateException(this + " has no buffer: use strings() or byteStrings()");
    }
    return ((ByteBuffer) elements).asReadOnlyBuffer().order(ByteOrder.nativeOrder());
  }

  /** Returns a copy of the elements of a tensor of FLOAT32. */
  public float[] floats() {
    ByteBuffer memory = expect(TfType.FLOAT32, "floats");
    float[] values = new float[memory.remaining() / 4];
    memory.asFloatBuffer().get(values);
    return values;
  }

  /** Returns a copy of the elements of a tensor of FLOAT64. */
  public double[] doubles() {
    ByteBuffer memory = expect(TfType.FLOAT64, "doubles");
    double[] values = new double[memory.remaining() / 8];
    memory.asDoubleBuffer().get(values);
    return values;
  }

  /** Returns a copy of the elements of a tensor of INT32. */
  public int[] ints() {
    ByteBuffer memory = expect(TfType.INT32, "ints");
    int[] values = new int[memory.remaining() / 4];
    memory.asIntBuffer().get(values);
    return values;
  }

  /** Returns a copy of the elements of a tensor of INT64. */
  public long[] longs() {
    ByteBuffer memory = expect(TfType.INT64, "longs");
    long[] values = new long[memory.remaining() / 8];
    memory.asLongBuffer().get(values);
    return values;
  }

  /** Returns a copy of the elements of a tensor of BOOL. */
  public boolean[] booleans() {
    ByteBuffer memory = expect(TfType.BOOL, "booleans");
    boolean[] values = new boolean[memory.remaining()];
    for (int i = 0; i < values.length; i++) {
      values[i] = memory.get(i) != 0;
    }
    return values;
  }

  /** Returns a copy of the elements of a tensor of UINT8. */
  public byte[] bytes() {
    ByteBuffer memory = expect(TfType.UINT8, "bytes");
    byte[] values = new byte[memory.remaining()];
    memory.get(values);
    return values;
  }

  /** Returns the elements of a tensor of STRING as UTF-8 texts. */
  public String[] strings() {
    byte[][] bytes = byteStrings();
    String[] values = new String[bytes.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = new String(bytes[i], StandardCharsets.UTF_8);
    }
    return values;
  }

  /** Returns the elements of a tensor of STRING. */
  public byte[][] byteStrings() {
    if (type != TfType.STRING) {
      throw new IllegalStateException(this + " has no strings");
    }
    return ((byte[][]) elements).clone();
  }

  @Override
  public String toString() {
    return "TfTensor(" + name(type) + ", " + Arrays.toString(shape) + ")";
  }

  Object elements() {
    return elements;
  }

  private ByteBuffer expect(TfType expected, String method) {
    if (type != expected) {
      throw new IllegalStateException(
          this + " is not of " + expected + ", so it has no " + method + "(): use buffer()");
    }
    return buffer();
  }

  private static ByteBuffer memory(TfType type, long count, long[] shape) {
    check(type, count, shape);
    return Natives.allocate(count * type.size);
  }

  private static void check(TfType type, long count, long[] shape) {
    long expected = 1;
    for (long size : Objects.requireNonNull(shape, "shape")) {
      if (size < 0) {
        throw new IllegalArgumentException("a size of " + Arrays.toString(shape) + " is negative");
      }
      // Saturates: no array has so many elements.
      expected = size != 0 && expected > Long.MAX_VALUE / size ? Long.MAX_VALUE : expected * size;
    }
    if (expected != count) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "the shape %s has %d elements of %s, but there are %d",
              Arrays.toString(shape),
              expected,
              name(type),
              count));
    }
  }

  private static String name(TfType type) {
    return type.name().toLowerCase(Locale.ROOT);
  }
}
