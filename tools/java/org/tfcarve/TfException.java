package org.tfcarve;

/** A model could not be loaded or run. */
public final class TfException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String status;
  private final String node;

  TfException(String status, String message, String node) {
    super(message);
    this.status = status;
    this.node = node;
  }

  /** Returns TensorFlow's name of the error: "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", … */
  public String status() {
    return status;
  }

  /** Returns the name of the node that the error is about; "" if it is not about one node. */
  public String node() {
    return node;
  }
}
