package org.tfcarve;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A model that is ready to run.
 *
 * <pre>{@code
 * try (TfSession session = TfSession.fromStream(assets.open("model.pb"))) {
 *   TfTensor x = TfTensor.of(new float[] {0f, 1f, 2f}, 1, 3);
 *   float[] y = session.run(Collections.singletonMap("x", x), "y").get("y").floats();
 * }
 * }</pre>
 *
 * <p>In Kotlin: {@code TfSession.fromStream(…).use { it.run(mapOf("x" to x), "y") }}.
 *
 * <p>Several threads may run the same session at the same time.
 */
public final class TfSession implements AutoCloseable {
  private final Handle handle;
  private final List<TfTensorInfo> inputs;
  private final List<TfTensorInfo> outputs;

  private TfSession(long session) {
    handle = new Handle("the session", session);
    inputs = infos(false);
    outputs = infos(true);
  }

  /**
   * Loads a model from a file, which is mapped into memory and must not be modified while the
   * session exists.
   *
   * @param file a frozen GraphDef.
   * @throws TfException if it is not a model, or needs ops that the library does not have.
   */
  public static TfSession fromFile(File file) {
    return fromFile(file, new TfSessionOptions());
  }

  /** Loads a model from a file, with options. */
  public static TfSession fromFile(File file, TfSessionOptions options) {
    byte[] path = Natives.bytes(Objects.requireNonNull(file, "file").getPath());
    Objects.requireNonNull(options, "options");
    return new TfSession(Natives.openFile(path, options.threads, options.memoryLimit));
  }

  /**
   * Loads a model from a stream, for example an asset, and closes the stream.
   *
   * @param stream a frozen GraphDef.
   * @throws IOException if it cannot be read.
   * @throws TfException if it is not a model, or needs ops that the library does not have.
   */
  public static TfSession fromStream(InputStream stream) throws IOException {
    return fromStream(stream, new TfSessionOptions());
  }

  /** Loads a model from a stream, with options, and closes the stream. */
  public static TfSession fromStream(InputStream stream, TfSessionOptions options)
      throws IOException {
    Objects.requireNonNull(options, "options");
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    try (InputStream input = Objects.requireNonNull(stream, "stream")) {
      byte[] part = new byte[1 << 16];
      for (int size = input.read(part); size >= 0; size = input.read(part)) {
        content.write(part, 0, size);
      }
    }
    return fromBytes(content.toByteArray(), options);
  }

  /** Loads a model, a frozen GraphDef, from an array. */
  public static TfSession fromBytes(byte[] graph) {
    return fromBytes(graph, new TfSessionOptions());
  }

  /** Loads a model from an array, with options. */
  public static TfSession fromBytes(byte[] graph, TfSessionOptions options) {
    Objects.requireNonNull(graph, "graph");
    Objects.requireNonNull(options, "options");
    return new TfSession(Natives.openBytes(graph, options.threads, options.memoryLimit));
  }

  /**
   * Loads a model, a frozen GraphDef, from the remaining bytes of a direct buffer, for example of a
   * mapped file.
   */
  public static TfSession fromBuffer(ByteBuffer graph) {
    return fromBuffer(graph, new TfSessionOptions());
  }

  /** Loads a model from a direct buffer, with options. */
  public static TfSession fromBuffer(ByteBuffer graph, TfSessionOptions options) {
    Objects.requireNonNull(options, "options");
    if (!Objects.requireNonNull(graph, "graph").isDirect()) {
      throw new IllegalArgumentException("graph is not a direct buffer: use fromBytes");
    }
    ByteBuffer rest = graph.slice();
    return new TfSession(
        Natives.openBuffer(rest, rest.limit(), options.threads, options.memoryLimit));
  }

  /** Returns the inputs that the model declares. */
  public List<TfTensorInfo> inputs() {
    return inputs;
  }

  /** Returns the outputs of the nodes that no other node uses. Other tensors can be computed too. */
  public List<TfTensorInfo> outputs() {
    return outputs;
  }

  /**
   * Runs the model once.
   *
   * @param inputs the values of tensors by name: "x", or "x:1" for the second output of "x".
   * @param outputs names of the tensors to compute; none: all outputs that the model declares.
   * @return the outputs by name, in the order of `outputs`.
   * @throws TfException if the run fails.
   * @throws IllegalStateException if the session is closed.
   */
  public Map<String, TfTensor> run(Map<String, TfTensor> inputs, String... outputs) {
    return run(new TfRunOptions(), inputs, outputs);
  }

  /** Runs the model once, with options. */
  public Map<String, TfTensor> run(
      TfRunOptions options, Map<String, TfTensor> inputs, String... outputs) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(inputs, "inputs");
    String[] wanted = Objects.requireNonNull(outputs, "outputs").length > 0 ? outputs : declared();
    byte[][] wantedNames = new byte[wanted.length][];
    for (int i = 0; i < wanted.length; i++) {
      wantedNames[i] = Natives.bytes(Objects.requireNonNull(wanted[i], "name of an output"));
    }
    byte[][] names = new byte[inputs.size()][];
    int[] types = new int[names.length];
    long[][] shapes = new long[names.length][];
    Object[] elements = new Object[names.length];
    int at = 0;
    for (Map.Entry<String, TfTensor> input : inputs.entrySet()) {
      String name = Objects.requireNonNull(input.getKey(), "name of an input");
      TfTensor tensor = Objects.requireNonNull(input.getValue(), "input " + name);
      names[at] = Natives.bytes(name);
      types[at] = tensor.type().number;
      shapes[at] = tensor.shape();
      elements[at] = tensor.elements();
      at += 1;
    }
    Handle.Use<TfTensor[]> run =
        cancellation ->
            handle.use(
                session ->
                    Natives.run(
                        session,
                        names,
                        types,
                        shapes,
                        elements,
                        wantedNames,
                        options.timeoutMillis,
                        cancellation,
                        options.trace));
    TfTensor[] results = options.cancellation == null ? run.of(0) : options.cancellation.use(run);
    Map<String, TfTensor> byName = new LinkedHashMap<>();
    for (int i = 0; i < wanted.length; i++) {
      byName.put(wanted[i], results[i]);
    }
    return byName;
  }

  /** Frees the session, after its runs have ended. */
  @Override
  public void close() {
    handle.close(Natives::free);
  }

  /** Returns a description of the library, a JSON text: versions, models, ops. */
  public static String manifest() {
    return Natives.text(Natives.manifest());
  }

  private List<TfTensorInfo> infos(boolean outputs) {
    TfTensorInfo[] infos = handle.use(session -> Natives.declared(session, outputs));
    return Collections.unmodifiableList(Arrays.asList(infos));
  }

  private String[] declared() {
    String[] names = new String[outputs.size()];
    for (int i = 0; i < names.length; i++) {
      names[i] = outputs.get(i).name();
    }
    return names;
  }
}
