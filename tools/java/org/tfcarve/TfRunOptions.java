package org.tfcarve;

/** How a model is run once. */
public final class TfRunOptions {
  long timeoutMillis = 0;
  TfCancellation cancellation = null;
  TfTrace trace = null;

  /**
   * Sets the time after which the run ends, before its next op, with the status DEADLINE_EXCEEDED;
   * 0, the default, is no limit.
   */
  public TfRunOptions timeoutMillis(long milliseconds) {
    if (milliseconds < 0) {
      throw new IllegalArgumentException(
          "timeoutMillis is " + milliseconds + ": expected 0 or more");
    }
    timeoutMillis = milliseconds;
    return this;
  }

  /** Sets what another thread can stop the run with; null, the default, is nothing. */
  public TfRunOptions cancellation(TfCancellation stop) {
    cancellation = stop;
    return this;
  }

  /** Sets the list that the run adds the times of its nodes to; null, the default, is none. */
  public TfRunOptions trace(TfTrace times) {
    trace = times;
    return this;
  }
}
