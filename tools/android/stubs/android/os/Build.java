package android.os;

/** A stub to compile against; Android provides the class. */
public class Build {
  /** The version of the system. */
  public static class VERSION {
    // Not a constant expression: the compiler would inline its value.
    public static final int SDK_INT = Integer.parseInt("0");
  }
}
