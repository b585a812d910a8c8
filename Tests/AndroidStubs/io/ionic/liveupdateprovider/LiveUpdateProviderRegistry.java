package io.ionic.liveupdateprovider;

import java.util.concurrent.ConcurrentHashMap;

/** A stub of ionic-team/live-update-provider-sdk 0.1.0-alpha.1, as Kotlin compiles it: see Tests/AndroidStubs/README.md. */
public final class LiveUpdateProviderRegistry {
    private static final ConcurrentHashMap<String, LiveUpdateProvider> PROVIDERS = new ConcurrentHashMap<>();

    private LiveUpdateProviderRegistry() {}

    public static void register(LiveUpdateProvider provider) {
        PROVIDERS.putIfAbsent(provider.getId(), provider);
    }

    public static LiveUpdateProvider require(String id) throws LiveUpdateError.ProviderNotRegistered {
        LiveUpdateProvider provider = PROVIDERS.get(id);
        if (provider == null) throw new LiveUpdateError.ProviderNotRegistered(id);
        return provider;
    }
}
