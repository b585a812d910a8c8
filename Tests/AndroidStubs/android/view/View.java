package android.view;

/** A stub: see Tests/AndroidStubs/README.md. */
public class View {}
