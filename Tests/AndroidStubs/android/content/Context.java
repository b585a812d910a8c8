package android.content;

import android.content.res.AssetManager;
import java.io.File;

/** A stub: see Tests/AndroidStubs/README.md. */
public abstract class Context {
    public File getNoBackupFilesDir() {
        return null;
    }

    public AssetManager getAssets() {
        return null;
    }
}
