package android.text;

/** What is compiled against; Android brings the class. */
public class TextUtils {
  public static String join(CharSequence delimiter, Iterable<?> tokens) {
    throw new UnsupportedOperationException();
  }
}
