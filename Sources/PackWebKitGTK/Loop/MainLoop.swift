import CWebKitGTK

/// GTK's main loop as the program's main thread; `MainActor` and the main queue run in it.
///
///     MainLoop.start()              // before any window
///     Task { @MainActor in … }
///     MainLoop.run()                // until quit()
@MainActor
public enum MainLoop {
    private static var hasStarted = false

    /// Connects the main queue to GLib's loop and opens the display. A second call does nothing.
    /// - Returns: false if there is no display.
    @discardableResult
    public static func start() -> Bool {
        guard !hasStarted else { return true }
        guard gtk_init_check(nil, nil) != 0 else { return false }
        hasStarted = true
        pack_join_main_queue()
        return true
    }

    /// Runs until ``quit()``.
    public static func run() { gtk_main() }

    public static func quit() { gtk_main_quit() }
}
