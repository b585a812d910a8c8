import Foundation

/// What requests are signed with.
struct S3Credentials: Hashable, Sendable, CustomStringConvertible {
    let keyID: String
    let secret: String
    /// Goes with credentials that end.
    let sessionToken: String?
    /// When they end; nil: never.
    let expiry: Date?

    init(keyID: String, secret: String, sessionToken: String? = nil, expiry: Date? = nil) {
        self.keyID = keyID
        self.secret = secret
        self.sessionToken = sessionToken
        self.expiry = expiry
    }

    /// Without the secret, because values are printed in tests and logs.
    var description: String { "the key \(keyID)" }
}
