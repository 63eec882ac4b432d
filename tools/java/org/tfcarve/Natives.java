package org.tfcarve;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The functions of the library, and the functions that they call.
 *
 * <p>Texts are arrays of UTF-8 bytes, because the Java Native Interface has another encoding. The
 * native methods check nothing: addresses must be of objects that exist, and arrays complete.
 */
final class Natives {
  // The alignment of elements that the library uses in place.
  private static final int ALIGNMENT = 64;

  static {
    System.loadLibrary("tensorflow_inference");
  }

  private Natives() {}

  /** Creates a session for the `size` bytes of a direct buffer. */
  static native long openBuffer(ByteBuffer graph, long size, int threads, long memoryLimit);

  static native long openBytes(byte[] graph, int threads, long memoryLimit);

  static native long openFile(byte[] path, int threads, long memoryLimit);

  static native void free(long session);

  /** Returns the declared inputs or outputs of a session. */
  static native TfTensorInfo[] declared(long session, boolean outputs);

  /**
   * Runs a model once.
   *
   * @param names of the inputs.
   * @param types numbers of the types of the inputs.
   * @param shapes of the inputs.
   * @param elements of each input: a direct buffer, or byte[][] for strings.
   * @param outputs names of the tensors to compute.
   * @param timeout in milliseconds; 0 for none.
   * @param cancellation an address, or 0.
   * @param trace receives the times of the nodes, or null.
   * @return the outputs.
   */
  static native TfTensor[] run(
      long session,
      byte[][] names,
      int[] types,
      long[][] shapes,
      Object[] elements,
      byte[][] outputs,
      long timeout,
      long cancellation,
      TfTrace trace);

  static native long newCancellation();

  static native void cancel(long cancellation);

  static native void freeCancellation(long cancellation);

  static native long address(ByteBuffer direct);

  /** Returns the library's manifest, a JSON text. */
  static native byte[] manifest();

  // Called by native methods.

  static void fail(byte[] status, byte[] message, byte[] node) {
    throw new TfException(text(status), text(message), text(node));
  }

  static TfTensorInfo info(byte[] name, int type, long[] shape) {
    return new TfTensorInfo(text(name), TfType.of(type), shape);
  }

  static TfTensor tensor(int type, long[] shape, Object elements) {
    return new TfTensor(TfType.of(type), shape, elements);
  }

  /** Returns an aligned direct buffer. */
  static ByteBuffer allocate(long size) {
    if (size > Integer.MAX_VALUE - ALIGNMENT) {
      throw new TfException(
          "RESOURCE_EXHAUSTED", "a tensor has " + size + " bytes, more than a Java buffer", "");
    }
    ByteBuffer memory = ByteBuffer.allocateDirect((int) size + ALIGNMENT);
    int start = (int) Math.floorMod(-address(memory), (long) ALIGNMENT);
    // ByteBuffer has these methods itself since Java 9; older versions of Android have Buffer's only.
    ((Buffer) memory).position(start).limit(start + (int) size);
    return memory.slice().order(ByteOrder.nativeOrder());
  }

  static byte[] bytes(String text) {
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("a name contains the character U+0000");
    }
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
