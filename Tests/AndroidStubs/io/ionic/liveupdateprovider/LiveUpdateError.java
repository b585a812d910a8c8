package io.ionic.liveupdateprovider;

/** A stub of ionic-team/live-update-provider-sdk 0.1.0-alpha.1, as Kotlin compiles it: see Tests/AndroidStubs/README.md. */
public interface LiveUpdateError {
    final class InvalidConfiguration extends Exception implements LiveUpdateError {
        public InvalidConfiguration(String details, Throwable cause) {
            super("Invalid configuration: " + details, cause);
        }
    }

    final class ProviderNotRegistered extends Exception implements LiveUpdateError {
        public ProviderNotRegistered(String providerId) {
            super("Provider with ID '" + providerId + "' not found");
        }
    }
}
