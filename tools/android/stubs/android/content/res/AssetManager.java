package android.content.res;

import java.io.IOException;
import java.io.InputStream;

/** A stub to compile against; Android provides the class. */
public final class AssetManager {
  public InputStream open(String fileName) throws IOException {
    throw new UnsupportedOperationException();
  }
}
