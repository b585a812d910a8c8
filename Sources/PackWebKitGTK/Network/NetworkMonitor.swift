import CWebKitGTK

/// Whether bytes cost the user something, as the system knows it.
public enum NetworkMonitor {
    /// Nil if nothing on this machine knows: without NetworkManager or a desktop portal, GLib calls every network
    /// unmetered.
    public static var isMetered: Bool? {
        switch pack_network_kind() {
        case 1: false
        case 2: true
        default: nil
        }
    }
}
