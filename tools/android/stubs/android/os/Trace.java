package android.os;

/** A stub to compile against; Android provides the class. */
public final class Trace {
  public static void beginSection(String sectionName) {
    throw new UnsupportedOperationException();
  }

  public static void endSection() {
    throw new UnsupportedOperationException();
  }
}
