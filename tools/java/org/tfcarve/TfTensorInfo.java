package org.tfcarve;

import java.util.Arrays;

/** An input or an output as a model declares it. */
public final class TfTensorInfo {
  private final String name;
  private final TfType type;
  private final long[] shape;

  TfTensorInfo(String name, TfType type, long[] shape) {
    this.name = name;
    this.type = type;
    this.shape = shape;
  }

  /** Returns its name: "x", or "x:1" for the second output of the node "x". */
  public String name() {
    return name;
  }

  /** Returns its type, or null if the model does not state it. */
  public TfType type() {
    return type;
  }

  /** Returns its sizes, with -1 for any size; null if the model does not state the shape. */
  public long[] shape() {
    return shape == null ? null : shape.clone();
  }

  @Override
  public String toString() {
    return name + " (" + type + ", " + (shape == null ? "any shape" : Arrays.toString(shape)) + ")";
  }
}
