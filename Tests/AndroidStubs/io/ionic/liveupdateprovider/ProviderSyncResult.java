package io.ionic.liveupdateprovider;

/** A stub of ionic-team/live-update-provider-sdk 0.1.0-alpha.1, as Kotlin compiles it: see Tests/AndroidStubs/README.md. */
public interface ProviderSyncResult {}
