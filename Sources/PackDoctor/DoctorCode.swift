/// The name of a check, for scripts and for `docs/DOCTOR.md`, which explains each.
package enum DoctorCode: String, Hashable, Sendable, CaseIterable {
    // The project.
    case configuration
    case root
    case rootExpiry = "root-expiry"
    case keyFile = "key-file"
    case publisherKey = "publisher-key"
    case gitIgnore = "git-ignore"
    case gitKeys = "git-keys"

    // The registry, in a folder or behind a URL.
    case registry
    case trust
    case signatureExpiry = "signature-expiry"
    case delegation
    case token
    case tokenExpiry = "token-expiry"
    case clock

    // A server, and what is in front of it.
    case tls
    case timestampCache = "timestamp-cache"
    case timestampFresh = "timestamp-fresh"
    case conditionalRequests = "conditional-requests"
    case ranges
    case immutableCache = "immutable-cache"
    case contentCoding = "content-coding"
    case headers

    // An app's folder.
    case appRoot = "app-root"
    case appRootExpiry = "app-root-expiry"
    case infoPlist = "info-plist"
    case preset
}
