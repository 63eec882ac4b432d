import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.tensorflow.contrib.android.TensorFlowInferenceInterface;
import org.tfcarve.TfCancellation;
import org.tfcarve.TfException;
import org.tfcarve.TfRunOptions;
import org.tfcarve.TfSession;
import org.tfcarve.TfSessionOptions;
import org.tfcarve.TfTensor;
import org.tfcarve.TfTrace;
import org.tfcarve.TfType;

/** Runs the models of the tests of the C interface, and prints what it finds: NAME=VALUE lines. */
public final class RunModels {
  private static final float[] VALUES = {0, 1, 2, 3, 4, 5};

  private final Path folder;

  private RunModels(Path folder) {
    this.folder = folder;
  }

  public static void main(String[] arguments) throws Exception {
    RunModels run = new RunModels(Paths.get(arguments[0]));
    run.values();
    run.strings();
    run.loading();
    run.refused();
    run.stopped();
    run.inferenceInterface();
    run.threads();
    run.memory(Integer.parseInt(arguments[1]));
  }

  private static void print(String name, Object value) {
    System.out.println(name + "=" + value);
  }

  private File file(String model) {
    return folder.resolve(model + ".pb").toFile();
  }

  private static Map<String, TfTensor> x(TfTensor value) {
    return Collections.singletonMap("x", value);
  }

  private void values() {
    try (TfSession session = TfSession.fromFile(file("product"))) {
      print("inputs", session.inputs());
      print("outputs", session.outputs());
      Map<String, TfTensor> found = session.run(x(TfTensor.of(VALUES, 2, 3)), "y", "top:1");
      print("names", found.keySet());
      print("y", Arrays.toString(found.get("y").floats()));
      print("y.shape", Arrays.toString(found.get("y").shape()));
      print("top", Arrays.toString(found.get("top:1").ints()));
      print("all", session.run(x(TfTensor.of(VALUES, 2, 3))).keySet());
      print("empty", session.run(x(TfTensor.of(new float[0], 0, 3)), "y").get("y"));
      // A buffer at an odd address, and one that is not direct.
      ByteBuffer odd = ByteBuffer.allocateDirect(25).order(ByteOrder.nativeOrder());
      odd.position(1);
      odd.slice().order(ByteOrder.nativeOrder()).asFloatBuffer().put(VALUES);
      TfTensor unaligned = TfTensor.of(TfType.FLOAT32, odd, 2, 3);
      print("odd", Arrays.toString(session.run(x(unaligned), "y").get("y").floats()));
      ByteBuffer heap = ByteBuffer.allocate(24).order(ByteOrder.nativeOrder());
      heap.asFloatBuffer().put(VALUES);
      TfTensor copied = TfTensor.of(TfType.FLOAT32, heap, 2, 3);
      print("heap", Arrays.toString(session.run(x(copied), "y").get("y").floats()));
      TfTrace trace = new TfTrace();
      session.run(new TfRunOptions().trace(trace), x(copied), "y");
      print("trace", trace.nodes().stream().anyMatch(node -> node.op().equals("BatchMatMulV2")));
      print("table", trace.toString().contains("BatchMatMulV2"));
    }
    try (TfSession session = TfSession.fromFile(file("loop"))) {
      Map<String, TfTensor> n = Collections.singletonMap("n", TfTensor.of(new int[] {7}));
      print("count", Arrays.toString(session.run(n, "count").get("count").ints()));
    }
    try (TfSession session = TfSession.fromFile(file("fill"))) {
      Map<String, TfTensor> dims = Collections.singletonMap("dims", TfTensor.of(new long[] {2}, 1));
      print("fill", Arrays.toString(session.run(dims, "y").get("y").floats()));
    }
    print("manifest", TfSession.manifest().startsWith("{"));
  }

  private void strings() {
    try (TfSession session = TfSession.fromFile(file("text"))) {
      TfTensor text = TfTensor.of(new String[] {"a", "", "é\0b"}, 3);
      TfTensor joined = session.run(Collections.singletonMap("text", text), "joined").get("joined");
      print("joined", Arrays.toString(joined.strings()).replace('\0', '0'));
      String[] many = new String[5000];
      Arrays.fill(many, "z");
      TfTensor input = TfTensor.of(many, many.length);
      TfTensor output = session.run(Collections.singletonMap("text", input), "joined").get("joined");
      print("many", output.byteStrings().length);
    }
  }

  private void loading() throws IOException {
    byte[] graph = Files.readAllBytes(file("product").toPath());
    ByteBuffer direct = ByteBuffer.allocateDirect(graph.length + 8);
    direct.position(8);
    direct.put(graph).position(8);
    TfSessionOptions options = new TfSessionOptions().threads(2).memoryLimit(1 << 20);
    List<TfSession> sessions =
        Arrays.asList(
            TfSession.fromBytes(graph, options),
            TfSession.fromBuffer(direct),
            TfSession.fromStream(new ByteArrayInputStream(graph)));
    List<String> found = new ArrayList<>();
    for (TfSession session : sessions) {
      found.add(session.run(x(TfTensor.of(VALUES, 2, 3)), "y").get("y").toString());
      session.close();
      session.close();
    }
    print("loaded", found);
  }

  private void error(String name, Callable<?> call) {
    try {
      call.call();
      print("error " + name, "none");
    } catch (TfException error) {
      String message = error.getMessage().replace('\n', ' ');
      print("error " + name, error.status() + "/" + error.node() + "/" + message);
    } catch (Exception error) {
      print("error " + name, error.getClass().getSimpleName() + "/" + error.getMessage());
    }
  }

  private void refused() {
    error("gone", () -> TfSession.fromFile(new File("gone.pb")));
    error("no graph", () -> TfSession.fromBytes(new byte[] {1, 2, 3}));
    error("no file", () -> TfSession.fromFile(null));
    error("heap graph", () -> TfSession.fromBuffer(ByteBuffer.allocate(3)));
    error("threads", () -> new TfSessionOptions().threads(2000));
    error("short", () -> TfTensor.of(new float[3], 1, 4));
    error("negative", () -> TfTensor.of(new float[0], -1));
    error("huge", () -> TfTensor.of(new float[1], Long.MAX_VALUE, 3));
    error("no values", () -> TfTensor.of((float[]) null, 1));
    error("no element", () -> TfTensor.of(new String[] {null}, 1));
    error("bytes", () -> TfTensor.of(TfType.FLOAT32, ByteBuffer.allocateDirect(6), 1));
    TfTensor square = TfTensor.of(new float[4], 2, 2);
    error("type", square::ints);
    error("strings", square::strings);
    TfSession session = TfSession.fromFile(file("product"));
    error("shape", () -> session.run(x(square), "y"));
    error("dtype", () -> session.run(x(TfTensor.of(new int[3], 1, 3)), "y"));
    error("input", () -> session.run(Collections.singletonMap("z", square), "y"));
    error("output", () -> session.run(x(TfTensor.of(VALUES, 2, 3)), "z"));
    error("null input", () -> session.run(x(null), "y"));
    error("null output", () -> session.run(x(square), (String) null));
    error("name", () -> session.run(x(square), "y\0z"));
    session.close();
    error("closed", () -> session.run(x(square), "y"));
    try (TfSession limited =
        TfSession.fromFile(file("fill"), new TfSessionOptions().memoryLimit(1000))) {
      Map<String, TfTensor> dims =
          Collections.singletonMap("dims", TfTensor.of(new long[] {1 << 20}, 1));
      error("memory", () -> limited.run(dims, "y"));
    }
  }

  private void stopped() throws Exception {
    Map<String, TfTensor> n = new HashMap<>();
    n.put("n", TfTensor.of(new int[] {Integer.MAX_VALUE}));
    try (TfSession session = TfSession.fromFile(file("loop"));
        TfCancellation cancellation = new TfCancellation()) {
      error("deadline", () -> session.run(new TfRunOptions().timeoutMillis(100), n, "count"));
      Thread other =
          new Thread(
              () ->
                  error(
                      "cancelled",
                      () -> session.run(new TfRunOptions().cancellation(cancellation), n, "count")));
      other.start();
      Thread.sleep(100);
      cancellation.cancel();
      other.join();
    }
  }

  private void inferenceInterface() throws Exception {
    InputStream model = Files.newInputStream(file("product").toPath());
    TensorFlowInferenceInterface tf = new TensorFlowInferenceInterface(model);
    tf.feed("x", VALUES, 2, 3);
    tf.run(new String[] {"y", "top:1"}, true);
    float[] y = new float[4];
    tf.fetch("y", y);
    int[] top = new int[2];
    tf.fetch("top:1", top);
    print("fetched", Arrays.toString(y) + Arrays.toString(top));
    print("stats", tf.getStatString().contains("BatchMatMulV2"));
    tf.feed("x", FloatBuffer.wrap(VALUES), 2, 3);
    tf.run(new String[] {"y"});
    FloatBuffer buffer = FloatBuffer.allocate(5);
    tf.fetch("y", buffer);
    print("buffer", Arrays.toString(buffer.array()));
    error(
        "fetch short",
        () -> {
          tf.fetch("y", new float[3]);
          return null;
        });
    error(
        "fetch other",
        () -> {
          tf.fetch("top:1", top);
          return null;
        });
    tf.close();
  }

  private void threads() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(8);
    try (TfSession session = TfSession.fromFile(file("product"))) {
      List<Future<String>> futures = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        futures.add(
            pool.submit(
                () -> {
                  TfTensor y = session.run(x(TfTensor.of(VALUES, 2, 3)), "y").get("y");
                  return Arrays.toString(y.floats());
                }));
      }
      Map<String, Integer> counts = new HashMap<>();
      for (Future<String> future : futures) {
        counts.merge(future.get(), 1, Integer::sum);
      }
      print("threads", counts);
    }
    pool.shutdown();
  }

  /** Prints how much the process grows, in KB, in runs that each make and drop everything. */
  private void memory(int runs) throws IOException {
    float[] values = new float[1024 * 16];
    long before = 0;
    for (int i = 0; i < runs; i++) {
      if (i == runs / 2) {
        before = resident();
      }
      try (TfSession session = TfSession.fromFile(file("pass"))) {
        session.run(x(TfTensor.of(values, 1024, 16)), "same", "sum");
      }
    }
    print("grown", resident() - before);
  }

  private static long resident() throws IOException {
    System.gc();
    for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new IOException("/proc/self/status does not have VmRSS");
  }
}
