package android.webkit;

/** A stub: see Tests/AndroidStubs/README.md. */
public abstract class RenderProcessGoneDetail {
    public abstract boolean didCrash();
}
