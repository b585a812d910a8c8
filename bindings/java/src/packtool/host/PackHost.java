package packtool.host;

import java.util.Objects;

/**
 * The device side of packtool: keeps the packages of an app on one device. It looks for updates, verifies and installs them, answers the
 * requests of a web view from the installed version, and goes back to the version before if a new one does not work.
 *
 * <pre>{@code
 * PackHost host = PackHost.open(new HostSettings(store, "https://packages.example.com").root(root));
 * host.start(PackHost.NO_LIMIT, null);                    // when the app starts
 * PackView view = host.openView();                        // one for each web view
 * PackAnswer answer = view.resolve(PackRequest.document("https://shop.package/"), 30000, null);
 * view.confirm();                                         // when the page works
 * host.update(null, progress -> true, 600000, canceller); // in the background
 * host.close();
 * }</pre>
 *
 * Every method may be called from any thread, also from an {@link UpdateListener}. Methods with a time limit block their thread. The
 * others may wait too, for what the host does at that moment or for another process that changes the store: call none of them on a
 * thread that must not wait, such as Android's main thread. {@code milliseconds} is the longest time to wait, or {@link #NO_LIMIT};
 * a {@code canceller} may be null. Use one host for each store and process.
 */
public final class PackHost implements AutoCloseable {
    /** No time limit. */
    public static final long NO_LIMIT = -1;
    /** In place of packages: those that were opened on this device before, and the installed ones. */
    public static final String OPENED = "@opened";

    private static final long CLOSING_MILLISECONDS = 5000;
    private static final int OK = 0;

    private final Handle handle;

    private PackHost(long handle) {
        this.handle = new Handle(handle);
    }

    /** Opens a store, or creates one. Nothing is fetched, and nothing is written yet. */
    public static PackHost open(HostSettings settings) throws PackHostException {
        return open(Objects.requireNonNull(settings, "settings").json());
    }

    /** @param settings the JSON object that packhost.h describes */
    public static PackHost open(String settings) throws PackHostException {
        return new PackHost(Native.open(Text.required("settings", settings)));
    }

    /** Closes the host as {@link #close(long)} does, and waits at most 5 seconds. */
    @Override
    public void close() {
        close(CLOSING_MILLISECONDS);
    }

    /**
     * Closes the host. Its calls that block throw {@link ErrorCode#CLOSED}, and its views do from now on. Answers stay until they are
     * closed.
     *
     * @return true if nothing of it works in the background any more; false if something still does after the time, or if it was closed
     *     before
     */
    public boolean close(long milliseconds) {
        long number = handle.take();
        return number != 0 && Native.close(number, milliseconds) == OK;
    }

    /** Switches to staged versions and installs presets. Call it when the app starts, before pages open. */
    public void start(long milliseconds, Canceller canceller) throws PackHostException {
        Native.start(handle.get(), milliseconds, Canceller.handle(canceller));
    }

    /**
     * Writes down, for reports, how the pages of this run were served. Call it when the app ends or goes to the background. Without
     * reports in the settings it does nothing.
     */
    public void endSession(long milliseconds, Canceller canceller) throws PackHostException {
        Native.endSession(handle.get(), milliseconds, Canceller.handle(canceller));
    }

    /** Says what the user pays for, from the next check on. */
    public void setNetwork(Network network) throws PackHostException {
        Native.setNetwork(handle.get(), Objects.requireNonNull(network, "network").ordinal());
    }

    /** Looks at another channel from the next check on, until the host is closed. The app remembers the choice. */
    public void setChannel(String channel) throws PackHostException {
        Native.setChannel(handle.get(), Text.required("channel", channel));
    }

    /**
     * Asks the registry what an update would do now. Nothing is installed.
     *
     * @param packages null for all packages of the channel; or {@link #OPENED}; or names with commas between them
     * @return the JSON of {@code packtool client update --check --json} (docs/JSON.md)
     */
    public String check(String packages, long milliseconds, Canceller canceller) throws PackHostException {
        return Text.of(Native.check(
                handle.get(), Text.optional("packages", packages), milliseconds, Canceller.handle(canceller)));
    }

    /**
     * Installs what the channel offers this device. Pages on view keep their version. A second update of one host waits for the first.
     * A package that failed is in the report with its reason. An exception is for what could not even be decided.
     *
     * @param packages as for {@link #check}
     * @param listener may be null. What it throws cancels the update and is thrown here
     * @return the JSON of {@code packtool client update --json}
     */
    public String update(String packages, UpdateListener listener, long milliseconds, Canceller canceller)
            throws PackHostException {
        return Text.of(Native.update(
                handle.get(), Text.optional("packages", packages), listener, milliseconds, Canceller.handle(canceller)));
    }

    /**
     * Leaves the active version for the one that was confirmed before it, or for the one that the app embeds.
     *
     * @param reason for the log; null for none
     * @return the version that is active now; empty if there is none
     */
    public String rollBack(String packageName, String reason) throws PackHostException {
        return Text.of(Native.rollBack(
                handle.get(), Text.required("packageName", packageName), Text.optional("reason", reason)));
    }

    /**
     * Confirms that a version works. {@link PackView#confirm} does the same for the page on view.
     *
     * @param token names the load that works: {@link PackView#load} has it
     */
    public void confirm(String packageName, String version, String token) throws PackHostException {
        Native.confirm(
                handle.get(), Text.required("packageName", packageName), Text.required("version", version),
                Text.required("token", token));
    }

    /** The state of every package: the JSON of {@code packtool client status --json}. Nothing is fetched. */
    public String status() throws PackHostException {
        return Text.of(Native.status(handle.get()));
    }

    /**
     * Why each package has what it has, and the newest events: the JSON of {@code packtool client explain --json}. Nothing is fetched.
     *
     * @param packages null for those on the device, or names with commas between them
     * @param events how many events at most
     */
    public String explain(String packages, int events) throws PackHostException {
        if (events < 0) throw new IllegalArgumentException("events is " + events);
        return Text.of(Native.explain(handle.get(), Text.optional("packages", packages), events));
    }

    /**
     * The folder of the active version's files, for a shell that shows a folder by itself. Waits for nothing. What is installed is
     * known after {@link #start}. Nothing counts a start of the version here: {@link PackView#resolve} of its page does.
     *
     * @return close it when nobody shows the folder any more
     * @throws PackHostException {@link ErrorCode#NOT_FOUND} if no version is completely installed, its files are damaged, or the channel
     *     has switched the package off
     */
    public PackFolder folder(String packageName) throws PackHostException {
        return new PackFolder(Native.folder(handle.get(), Text.required("packageName", packageName)));
    }

    /** Makes a view: what one web view, window or tab shows. */
    public PackView openView() throws PackHostException {
        return new PackView(Native.newView(handle.get()));
    }
}
