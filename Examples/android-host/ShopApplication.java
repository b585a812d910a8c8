package com.example.shop;

import android.app.Application;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import packtool.host.HostSettings;
import packtool.host.PackHost;

/** Keeps the app's one host, and updates it in the background. */
public final class ShopApplication extends Application {
    private static final String REGISTRY = "https://packages.example.com";

    private final ExecutorService background = Executors.newFixedThreadPool(2);
    private PackHost host;

    @Override
    public void onCreate() {
        super.onCreate();
        try {
            File store = new File(getNoBackupFilesDir(), "packages");
            // The app embeds the registry's root of trust as assets/root.json.
            host = PackHost.open(
                    new HostSettings(store.getPath(), REGISTRY).root(asset("root.json")).fact("platform", "android"));
            // What was downloaded before becomes active, before a page is shown.
            host.start(PackHost.NO_LIMIT, null);
        } catch (IOException error) {
            throw new IllegalStateException("the packages cannot be opened", error);
        }
        background.execute(this::update);
    }

    PackHost host() {
        return host;
    }

    ExecutorService background() {
        return background;
    }

    /** An app with WorkManager calls this from a worker instead. */
    private void update() {
        try {
            host.update(null, progress -> true, 600_000, null);
        } catch (IOException error) {
            // Without a network the app shows what is installed.
            System.err.println("update: " + error.getMessage());
        }
    }

    private String asset(String name) throws IOException {
        try (InputStream stream = getAssets().open(name)) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            byte[] buffer = new byte[8192];
            for (int count; (count = stream.read(buffer)) > 0; ) bytes.write(buffer, 0, count);
            return new String(bytes.toByteArray(), StandardCharsets.UTF_8);
        }
    }
}
