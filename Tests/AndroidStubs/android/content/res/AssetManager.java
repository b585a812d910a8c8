package android.content.res;

import java.io.IOException;
import java.io.InputStream;

/** A stub: see Tests/AndroidStubs/README.md. */
public final class AssetManager {
    public InputStream open(String name) throws IOException {
        throw new IOException(name);
    }
}
