package org.tfcarve;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The times of the nodes of one or more runs. */
public final class TfTrace {
  /** An execution of a node. */
  public static final class Node {
    private final String name;
    private final String op;
    private final long nanoseconds;

    Node(String name, String op, long nanoseconds) {
      this.name = name;
      this.op = op;
      this.nanoseconds = nanoseconds;
    }

    /** Returns its name. */
    public String name() {
      return name;
    }

    /** Returns its op: "Conv2D". */
    public String op() {
      return op;
    }

    /** Returns the time of its kernel. */
    public long nanoseconds() {
      return nanoseconds;
    }
  }

  private final List<Node> nodes = new ArrayList<>();

  // Called by the native method `run`.
  synchronized void add(byte[] name, byte[] op, long nanoseconds) {
    nodes.add(new Node(Natives.text(name), Natives.text(op), nanoseconds));
  }

  /** Returns the executions, in the order in which they ended. */
  public synchronized List<Node> nodes() {
    return Collections.unmodifiableList(new ArrayList<>(nodes));
  }

  /** Returns a table of the ops: the executions and the time of each, the longest time first. */
  @Override
  public String toString() {
    Map<String, long[]> ops = new LinkedHashMap<>();
    for (Node node : nodes()) {
      long[] row = ops.computeIfAbsent(node.op(), op -> new long[2]);
      row[0] += 1;
      row[1] += node.nanoseconds();
    }
    List<Map.Entry<String, long[]>> rows = new ArrayList<>(ops.entrySet());
    rows.sort((a, b) -> Long.compare(b.getValue()[1], a.getValue()[1]));
    StringBuilder table = new StringBuilder(String.format("%-32s%8s%12s%n", "op", "nodes", "ms"));
    for (Map.Entry<String, long[]> row : rows) {
      long[] value = row.getValue();
      table.append(
          String.format(Locale.ROOT, "%-32s%8d%12.3f%n", row.getKey(), value[0], value[1] / 1e6));
    }
    return table.toString();
  }
}
