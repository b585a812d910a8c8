package android.app;

import android.content.Context;
import android.os.Bundle;
import android.view.View;

/** A stub: see Tests/AndroidStubs/README.md. */
public class Activity extends Context {
    protected void onCreate(Bundle state) {}

    protected void onStop() {}

    protected void onDestroy() {}

    public void setContentView(View view) {}

    public final Application getApplication() {
        return null;
    }

    public final void runOnUiThread(Runnable action) {}

    public void recreate() {}

    public boolean isDestroyed() {
        return false;
    }
}
