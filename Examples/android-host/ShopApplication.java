package com.example.shop;

import android.app.Application;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import packtool.host.HostSettings;
import packtool.host.PackHost;

/** Keeps the app's one host. Everything that may wait for it is done in the background. */
public final class ShopApplication extends Application {
    private static final String REGISTRY = "https://packages.example.com";

    /** Threads that may wait; one that waits holds up no other. */
    private final ExecutorService background = Executors.newCachedThreadPool();
    private final FutureTask<PackHost> opening = new FutureTask<>(this::open);

    @Override
    public void onCreate() {
        super.onCreate();
        background.execute(opening);
        background.execute(this::update);
    }

    private PackHost open() throws IOException {
        File store = new File(getNoBackupFilesDir(), "packages");
        // The app embeds the registry's root of trust as assets/root.json.
        PackHost host = PackHost.open(
                new HostSettings(store.getPath(), REGISTRY).root(asset("root.json")).fact("platform", "android"));
        // What was downloaded before becomes active, before a page is shown.
        host.start(PackHost.NO_LIMIT, null);
        return host;
    }

    /** The host, once it has started. Waits for that, so it is not for the main thread. */
    PackHost host() throws IOException {
        try {
            return opening.get();
        } catch (ExecutionException error) {
            throw new IOException("the packages cannot be opened: " + error.getCause().getMessage(), error.getCause());
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the packages are not open yet");
        }
    }

    ExecutorService background() {
        return background;
    }

    /** An app with WorkManager calls this from a worker instead. */
    private void update() {
        try {
            host().update(null, progress -> true, 600_000, null);
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
