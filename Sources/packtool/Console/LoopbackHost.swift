/// Hosts that only this machine reaches, so that what travels to them need not be encrypted.
enum LoopbackHost {
    static func isOne(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}
