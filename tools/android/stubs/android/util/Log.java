package android.util;

/** What is compiled against; Android brings the class. */
public final class Log {
  public static int e(String tag, String message) {
    throw new UnsupportedOperationException();
  }

  public static int i(String tag, String message) {
    throw new UnsupportedOperationException();
  }
}
