package android.text;

/** A stub to compile against; Android provides the class. */
public class TextUtils {
  public static String join(CharSequence delimiter, Iterable<?> tokens) {
    throw new UnsupportedOperationException();
  }
}
