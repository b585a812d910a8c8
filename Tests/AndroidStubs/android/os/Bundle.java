package android.os;

/** A stub: see Tests/AndroidStubs/README.md. */
public final class Bundle {}
