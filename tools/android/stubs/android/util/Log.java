package android.util;

/** A stub to compile against; Android provides the class. */
public final class Log {
  public static int e(String tag, String message) {
    throw new UnsupportedOperationException();
  }

  public static int i(String tag, String message) {
    throw new UnsupportedOperationException();
  }
}
