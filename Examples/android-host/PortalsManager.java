package com.example.shop;

import io.ionic.liveupdateprovider.FederatedCapacitorSyncResult;
import io.ionic.liveupdateprovider.LiveUpdateProviderManager;
import io.ionic.liveupdateprovider.ProviderSyncCallback;
import io.ionic.liveupdateprovider.ProviderSyncError;
import java.io.File;
import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import packtool.host.PackFolder;
import packtool.host.PackHost;
import packtool.host.PackHostException;
import packtool.host.PackRequest;
import packtool.host.PackView;

/** One package as a folder that follows its channel. */
public final class PortalsManager implements LiveUpdateProviderManager, AutoCloseable {
    private static final long LONGEST_UPDATE = 600_000;

    private final String packageName;
    private final PackHost host;
    private final Executor background;
    /** Each folder that was given out, by its path: a shell may still show it. */
    private final Map<String, PackFolder> given = new HashMap<>();
    private PackView started;

    PortalsManager(String packageName, PackHost host, Executor background) {
        this.packageName = packageName;
        this.host = host;
        this.background = background;
    }

    /** Null if no version is installed. The folder stays on the device until {@link #close}. */
    @Override
    public synchronized File getLatestAppDirectory() {
        try {
            PackFolder folder = host.folder(packageName);
            if (given.putIfAbsent(folder.path(), folder) != null) folder.close();
            return new File(folder.path());
        } catch (PackHostException none) {
            return null;
        }
    }

    /** The contract lets a shell set it. What is shown is what is signed, so this does nothing. */
    @Override
    public void setLatestAppDirectory(File directory) {}

    /** Checks for an update and installs it, in the background. */
    @Override
    public void sync(ProviderSyncCallback callback) {
        background.execute(() -> {
            File before = getLatestAppDirectory();
            String fault = null;
            try {
                String report = host.update(packageName, null, LONGEST_UPDATE, null);
                // The only package in it is this one, and a quotation mark inside of a text has a \ before it.
                if (report.contains("\"outcome\":\"failed\"")) fault = report;
            } catch (IOException error) {
                fault = error.getMessage();
            }
            if (callback == null) return;
            boolean didUpdate = !Objects.equals(before, getLatestAppDirectory());
            if (fault != null) callback.onFailure(new ProviderSyncError(packageName + " was not updated: " + fault));
            else callback.onSuccess(new FederatedCapacitorSyncResult(didUpdate, Collections.emptyMap()));
        });
    }

    /**
     * Counts a start of the version that the shell is about to show. A version that has used up its starts without a confirmation is
     * left for the one before it. Not on the main thread.
     *
     * @return the folder to show; null if there is none
     */
    public synchronized File start() throws IOException {
        // A package that is not here would begin to install itself, for a page that nobody answers.
        if (getLatestAppDirectory() == null) return null;
        if (started == null) started = host.openView();
        started.resolve(PackRequest.document("https://" + packageName + ".package/"), LONGEST_UPDATE, null).close();
        return getLatestAppDirectory();
    }

    /** Confirms the version that {@link #start} has given: its page works. Not on the main thread. */
    public synchronized void confirm() throws IOException {
        if (started != null) started.confirm();
    }

    /** Lets all folders go. */
    @Override
    public synchronized void close() {
        for (PackFolder folder : given.values()) folder.close();
        given.clear();
        if (started != null) started.close();
        started = null;
    }
}
