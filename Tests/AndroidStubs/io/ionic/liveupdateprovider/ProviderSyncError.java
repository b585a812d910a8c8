package io.ionic.liveupdateprovider;

/** A stub of ionic-team/live-update-provider-sdk 0.1.0-alpha.1, as Kotlin compiles it: see Tests/AndroidStubs/README.md. */
public final class ProviderSyncError {
    private final String message;

    public ProviderSyncError(String message) {
        this.message = message;
    }

    public String getMessage() {
        return message;
    }
}
