package android.content.res;

import java.io.IOException;
import java.io.InputStream;

/** What is compiled against; Android brings the class. */
public final class AssetManager {
  public InputStream open(String fileName) throws IOException {
    throw new UnsupportedOperationException();
  }
}
