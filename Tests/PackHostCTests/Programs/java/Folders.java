import com.example.shop.PortalsManager;
import com.example.shop.PortalsProvider;
import io.ionic.liveupdateprovider.FederatedCapacitorSyncResult;
import io.ionic.liveupdateprovider.LiveUpdateError;
import io.ionic.liveupdateprovider.LiveUpdateProviderRegistry;
import io.ionic.liveupdateprovider.ProviderSyncCallback;
import io.ionic.liveupdateprovider.ProviderSyncError;
import io.ionic.liveupdateprovider.ProviderSyncResult;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Collections;
import packtool.host.ErrorCode;
import packtool.host.HostSettings;
import packtool.host.PackFolder;
import packtool.host.PackHost;
import packtool.host.PackView;

/**
 * A shell that shows folders: nothing installed, a version, updates while a folder is held, and the folder gone when it was closed. Then
 * the same by the example for Ionic's contract, whose classes are stubs here. Arguments: the store, the registry's address, the path of
 * root.json. It asks for versions by lines.
 */
final class Folders {
    public static void main(String[] arguments) throws Exception {
        HostSettings settings = Check.settings(arguments).activatesAtOnce();
        PackFolder last;
        try (PackHost host = PackHost.open(settings)) {
            host.start(PackHost.NO_LIMIT, null);
            held(host);
            contract(host);
            last = host.folder("shop");
        }
        // A folder outlives its host.
        Check.has(page(last.path()), "<title>five</title>");
        last.close();
        withoutRegistry(arguments);
        System.out.println("done");
    }

    private static void held(PackHost host) throws Exception {
        Check.fails(ErrorCode.NOT_FOUND, () -> host.folder("shop"));
        Check.fails(ErrorCode.NOT_FOUND, () -> host.folder("other"));
        Check.update(host);
        PackFolder first = host.folder("shop");
        Check.has(page(first.path()), "<title>one</title>");
        Check.equal("say('one')", text(first.path() + "/app.js"));
        Check.that(!first.path().endsWith("/"), first.path());
        // One version twice: one folder, which stays for the other.
        PackFolder same = host.folder("shop");
        Check.equal(first.path(), same.path());
        same.close();
        same.close();
        confirm(host);
        Check.ask("publish 2.0.0 two");
        Check.update(host);
        confirm(host);
        Check.ask("publish 3.0.0 three");
        Check.update(host);
        confirm(host);
        // Neither active nor the one before, and held.
        Check.has(page(first.path()), "<title>one</title>");
        try (PackFolder third = host.folder("shop")) {
            Check.has(page(third.path()), "<title>three</title>");
        }
        first.close();
        Check.ask("publish 4.0.0 four");
        Check.update(host);
        Check.that(!new File(first.path()).exists(), "the folder that nobody holds stays");
        confirm(host);
    }

    /** Shows the page of the active version, in a view that nothing else keeps, and confirms it. */
    private static void confirm(PackHost host) throws IOException {
        try (PackView view = host.openView()) {
            Check.page(view);
            view.confirm();
        }
    }

    private static void contract(PackHost host) throws Exception {
        // On this thread, so that a sync is over when it returns.
        LiveUpdateProviderRegistry.register(new PortalsProvider(host, Runnable::run));
        Check.throwing(
                LiveUpdateError.InvalidConfiguration.class,
                () -> LiveUpdateProviderRegistry.require("packtool").createManager(null, null));
        PortalsManager manager = manager("shop");
        File four = manager.getLatestAppDirectory();
        Check.has(page(four.getPath()), "<title>four</title>");
        manager.setLatestAppDirectory(new File("/elsewhere"));
        Check.equal(four, manager.getLatestAppDirectory());
        Check.that(!synced(manager), "an update of nothing");
        Check.ask("publish 5.0.0 five");
        manager.sync(null);
        Check.that(!synced(manager), "the sync without a callback has updated");
        Check.has(page(manager.getLatestAppDirectory().getPath()), "<title>five</title>");
        Check.equal(manager.getLatestAppDirectory(), manager.start());
        Check.has(host.status(), "\"confirmed\":false");
        manager.confirm();
        Check.has(host.status(), "\"confirmed\":true");
        Check.has(page(four.getPath()), "<title>four</title>");
        manager.close();

        PortalsManager other = manager("other");
        Check.that(other.getLatestAppDirectory() == null, "a folder of nothing");
        Check.that(other.start() == null, "a start of nothing");
        other.close();
    }

    private static PortalsManager manager(String packageName) throws Exception {
        return (PortalsManager) LiveUpdateProviderRegistry.require("packtool")
                .createManager(null, Collections.singletonMap("package", packageName));
    }

    /** A sync that succeeds. */
    private static boolean synced(PortalsManager manager) {
        ProviderSyncResult[] success = {null};
        manager.sync(new ProviderSyncCallback() {
            @Override
            public void onSuccess(ProviderSyncResult result) {
                success[0] = result;
            }

            @Override
            public void onFailure(ProviderSyncError error) {
                throw new AssertionError(error.getMessage());
            }
        });
        return ((FederatedCapacitorSyncResult) success[0]).getDidUpdate();
    }

    /** What was installed is known after the start, and a sync says what is wrong. */
    private static void withoutRegistry(String[] arguments) throws Exception {
        try (PackHost host = PackHost.open(new HostSettings(arguments[0], "http://127.0.0.1:9"))) {
            host.start(PackHost.NO_LIMIT, null);
            PortalsManager manager = (PortalsManager) new PortalsProvider(host, Runnable::run)
                    .createManager(null, Collections.singletonMap("package", "shop"));
            Check.has(page(manager.getLatestAppDirectory().getPath()), "<title>five</title>");
            String[] fault = {""};
            manager.sync(new ProviderSyncCallback() {
                @Override
                public void onSuccess(ProviderSyncResult result) {
                    throw new AssertionError("a sync without a registry");
                }

                @Override
                public void onFailure(ProviderSyncError error) {
                    fault[0] = error.getMessage();
                }
            });
            Check.has(fault[0], "shop was not updated: ");
            manager.close();
        }
    }

    private static String page(String folder) throws IOException {
        return text(folder + "/index.html");
    }

    private static String text(String file) throws IOException {
        return new String(Files.readAllBytes(Paths.get(file)), StandardCharsets.UTF_8);
    }
}
