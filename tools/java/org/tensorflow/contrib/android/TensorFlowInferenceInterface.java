package org.tensorflow.contrib.android;

import android.content.res.AssetManager;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.tfcarve.TfRunOptions;
import org.tfcarve.TfSession;
import org.tfcarve.TfTensor;
import org.tfcarve.TfTrace;
import org.tfcarve.TfType;

/**
 * The interface of TensorFlow's package tensorflow-android, for apps that have been written for it:
 * feed, run, fetch. New apps use {@link TfSession}.
 *
 * <p>It lacks graph() and graphOperation(), whose classes are TensorFlow's. One thread at a time may
 * use an object.
 */
public class TensorFlowInferenceInterface {
  private static final String ASSET_PREFIX = "file:///android_asset/";

  private final TfSession session;
  private final Map<String, TfTensor> fed = new HashMap<>();
  private Map<String, TfTensor> fetched = Collections.emptyMap();
  private TfTrace trace = new TfTrace();

  /** Loads an asset ("file:///android_asset/model.pb" or "model.pb") or, if there is none, a file. */
  public TensorFlowInferenceInterface(AssetManager assets, String model) {
    session = load(assets, model);
  }

  /** Loads a model from a stream. */
  public TensorFlowInferenceInterface(InputStream model) {
    try {
      session = TfSession.fromStream(model);
    } catch (IOException error) {
      throw new RuntimeException("The model cannot be read from the stream", error);
    }
  }

  /** Computes tensors with the fed inputs. */
  public void run(String[] outputs) {
    run(outputs, false);
  }

  /** Computes tensors with the fed inputs; with `enableStats`, records the time of each node. */
  public void run(String[] outputs, boolean enableStats) {
    trace = new TfTrace();
    fetched = Collections.emptyMap();
    try {
      if (outputs.length > 0) {
        fetched = session.run(new TfRunOptions().trace(enableStats ? trace : null), fed, outputs);
      }
    } finally {
      fed.clear();
    }
  }

  /** Returns a table of the times of the last run's ops. */
  public String getStatString() {
    return trace.toString();
  }

  /** Frees the model. */
  public void close() {
    session.close();
    fed.clear();
    fetched = Collections.emptyMap();
  }

  public void feed(String input, boolean[] values, long... shape) {
    fed.put(input, TfTensor.of(values, shape));
  }

  public void feed(String input, float[] values, long... shape) {
    fed.put(input, TfTensor.of(values, shape));
  }

  public void feed(String input, int[] values, long... shape) {
    fed.put(input, TfTensor.of(values, shape));
  }

  public void feed(String input, long[] values, long... shape) {
    fed.put(input, TfTensor.of(values, shape));
  }

  public void feed(String input, double[] values, long... shape) {
    fed.put(input, TfTensor.of(values, shape));
  }

  /** Feeds a tensor of UINT8. */
  public void feed(String input, byte[] values, long... shape) {
    fed.put(input, TfTensor.of(values, shape));
  }

  /** Feeds a scalar of STRING. */
  public void feedString(String input, byte[] value) {
    fed.put(input, TfTensor.of(new byte[][] {value}));
  }

  /** Feeds a vector of STRING. */
  public void feedString(String input, byte[][] values) {
    fed.put(input, TfTensor.of(values, values.length));
  }

  public void feed(String input, FloatBuffer values, long... shape) {
    ByteBuffer memory = memory(values, 4);
    memory.asFloatBuffer().put(values.duplicate());
    fed.put(input, TfTensor.of(TfType.FLOAT32, memory, shape));
  }

  public void feed(String input, IntBuffer values, long... shape) {
    ByteBuffer memory = memory(values, 4);
    memory.asIntBuffer().put(values.duplicate());
    fed.put(input, TfTensor.of(TfType.INT32, memory, shape));
  }

  public void feed(String input, LongBuffer values, long... shape) {
    ByteBuffer memory = memory(values, 8);
    memory.asLongBuffer().put(values.duplicate());
    fed.put(input, TfTensor.of(TfType.INT64, memory, shape));
  }

  public void feed(String input, DoubleBuffer values, long... shape) {
    ByteBuffer memory = memory(values, 8);
    memory.asDoubleBuffer().put(values.duplicate());
    fed.put(input, TfTensor.of(TfType.FLOAT64, memory, shape));
  }

  /** Feeds a tensor of UINT8. */
  public void feed(String input, ByteBuffer values, long... shape) {
    fed.put(input, TfTensor.of(TfType.UINT8, values, shape));
  }

  public void fetch(String output, float[] values) {
    fetch(output, FloatBuffer.wrap(values));
  }

  public void fetch(String output, int[] values) {
    fetch(output, IntBuffer.wrap(values));
  }

  public void fetch(String output, long[] values) {
    fetch(output, LongBuffer.wrap(values));
  }

  public void fetch(String output, double[] values) {
    fetch(output, DoubleBuffer.wrap(values));
  }

  /** Fetches a tensor of UINT8. */
  public void fetch(String output, byte[] values) {
    fetch(output, ByteBuffer.wrap(values));
  }

  public void fetch(String output, FloatBuffer values) {
    values.put(elements(output, TfType.FLOAT32, values).asFloatBuffer());
  }

  public void fetch(String output, IntBuffer values) {
    values.put(elements(output, TfType.INT32, values).asIntBuffer());
  }

  public void fetch(String output, LongBuffer values) {
    values.put(elements(output, TfType.INT64, values).asLongBuffer());
  }

  public void fetch(String output, DoubleBuffer values) {
    values.put(elements(output, TfType.FLOAT64, values).asDoubleBuffer());
  }

  /** Fetches a tensor of UINT8. */
  public void fetch(String output, ByteBuffer values) {
    values.put(elements(output, TfType.UINT8, values));
  }

  private static TfSession load(AssetManager assets, String model) {
    boolean isAsset = model.startsWith(ASSET_PREFIX);
    String name = isAsset ? model.substring(ASSET_PREFIX.length()) : model;
    try {
      return TfSession.fromStream(assets.open(name));
    } catch (IOException error) {
      if (isAsset || !new File(model).isFile()) {
        throw new RuntimeException("There is no asset or file " + model, error);
      }
      return TfSession.fromFile(new File(model));
    }
  }

  private static ByteBuffer memory(Buffer values, int size) {
    return ByteBuffer.allocateDirect(Math.multiplyExact(values.remaining(), size))
        .order(ByteOrder.nativeOrder());
  }

  private ByteBuffer elements(String output, TfType type, Buffer target) {
    TfTensor tensor = fetched.get(output);
    if (tensor == null) {
      throw new IllegalArgumentException(output + " is not an output of the last run");
    }
    if (tensor.type() != type) {
      throw new IllegalArgumentException(output + " is of " + tensor.type() + ", not " + type);
    }
    ByteBuffer elements = tensor.buffer();
    int size = type == TfType.UINT8 ? 1 : type == TfType.FLOAT32 || type == TfType.INT32 ? 4 : 8;
    int count = elements.remaining() / size;
    if (count > target.remaining()) {
      throw new IllegalArgumentException(
          output + " has " + count + " elements, but there is room for " + target.remaining());
    }
    return elements;
  }
}
