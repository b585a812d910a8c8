/// The systems whose clients a server can answer. Each is off until it is turned on.
package enum AdapterKind: String, CaseIterable, Sendable {
    case capgo
    /// For Cordova and Capacitor.
    case codepush
    /// Appflow.
    case ionic
}
