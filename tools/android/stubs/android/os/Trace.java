package android.os;

/** What is compiled against; Android brings the class. */
public final class Trace {
  public static void beginSection(String sectionName) {
    throw new UnsupportedOperationException();
  }

  public static void endSection() {
    throw new UnsupportedOperationException();
  }
}
