package io.ionic.liveupdateprovider;

import java.util.Map;

/** A stub of ionic-team/live-update-provider-sdk 0.1.0-alpha.1, as Kotlin compiles it: see Tests/AndroidStubs/README.md. */
public final class FederatedCapacitorSyncResult implements ProviderSyncResult {
    private final boolean didUpdate;
    private final Map<String, Object> metadata;

    @SuppressWarnings("unchecked")
    public FederatedCapacitorSyncResult(boolean didUpdate, Map<String, ?> metadata) {
        this.didUpdate = didUpdate;
        this.metadata = (Map<String, Object>) metadata;
    }

    public boolean getDidUpdate() {
        return didUpdate;
    }

    public Map<String, Object> getMetadata() {
        return metadata;
    }
}
