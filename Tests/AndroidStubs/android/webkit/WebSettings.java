package android.webkit;

/** A stub: see Tests/AndroidStubs/README.md. */
public abstract class WebSettings {
    public abstract void setJavaScriptEnabled(boolean isEnabled);

    public abstract void setDomStorageEnabled(boolean isEnabled);
}
