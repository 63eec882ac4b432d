package android.os;

/** What is compiled against; Android brings the class. */
public class Build {
  /** The version of the system. */
  public static class VERSION {
    // No constant: a compiler would copy its value into the caller.
    public static final int SDK_INT = Integer.parseInt("0");
  }
}
