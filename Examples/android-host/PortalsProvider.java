package com.example.shop;

import android.content.Context;
import io.ionic.liveupdateprovider.LiveUpdateError;
import io.ionic.liveupdateprovider.LiveUpdateProvider;
import io.ionic.liveupdateprovider.LiveUpdateProviderManager;
import java.util.Map;
import java.util.concurrent.Executor;
import packtool.host.PackHost;

/**
 * Packages of ours in Ionic's Portals and Federated Capacitor: the contract of {@code io.ionic:liveupdateprovider} 0.1.0-alpha.1. It
 * makes a manager for the package that the shell's configuration names: {@code {"package": "shop"}}.
 *
 * <pre>{@code
 * host.start(PackHost.NO_LIMIT, null);        // settings with activatesAtOnce()
 * LiveUpdateProviderRegistry.register(new PortalsProvider(host, background));
 * }</pre>
 */
public final class PortalsProvider implements LiveUpdateProvider {
    private final PackHost host;
    private final Executor background;

    /** @param background runs a sync, and may wait for the network */
    public PortalsProvider(PackHost host, Executor background) {
        this.host = host;
        this.background = background;
    }

    @Override
    public String getId() {
        return "packtool";
    }

    @Override
    public LiveUpdateProviderManager createManager(Context context, Map<String, ?> config)
            throws LiveUpdateError.InvalidConfiguration {
        Object name = config == null ? null : config.get("package");
        if (!(name instanceof String)) throw new LiveUpdateError.InvalidConfiguration("\"package\" names no package", null);
        return new PortalsManager((String) name, host, background);
    }
}
