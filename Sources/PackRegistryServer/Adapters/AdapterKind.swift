/// The systems whose clients a server can answer. Each is off until it is turned on.
package enum AdapterKind: String, CaseIterable, Sendable {
    /// Live Update, for Capacitor.
    case capawesome
    case capgo
    /// Cordova Hot Code Push.
    case chcp
    /// For Cordova and Capacitor.
    case codepush
    /// Appflow.
    case ionic
    /// Plugins that read one list of a channel's files.
    case offline
}
