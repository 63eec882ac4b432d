package org.tfcarve;

/** How a session runs. */
public final class TfSessionOptions {
  int threads = 0;
  long memoryLimit = 0;

  /** Sets the number of threads that compute an op: 1 to 1024; 0, the default, is one per core. */
  public TfSessionOptions threads(int count) {
    if (count < 0 || count > 1024) {
      throw new IllegalArgumentException("threads is " + count + ": expected 0 to 1024");
    }
    threads = count;
    return this;
  }

  /**
   * Sets the most memory, in bytes, that the tensors of a run may take at any time; 0, the default,
   * is no limit. A run that needs more fails with the status RESOURCE_EXHAUSTED.
   */
  public TfSessionOptions memoryLimit(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("memoryLimit is " + bytes + ": expected 0 or more");
    }
    memoryLimit = bytes;
    return this;
  }
}
