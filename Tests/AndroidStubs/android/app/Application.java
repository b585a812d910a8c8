package android.app;

import android.content.Context;

/** A stub: see Tests/AndroidStubs/README.md. */
public class Application extends Context {
    public void onCreate() {}
}
