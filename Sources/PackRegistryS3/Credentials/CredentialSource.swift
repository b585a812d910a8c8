import PackRegistryAPI

/// One of the places where credentials may be.
protocol CredentialSource: Sendable {
    /// For messages: "the variable AWS_ACCESS_KEY_ID".
    var name: String { get }

    /// - Returns: nil where this place has none, so that the next one is asked.
    /// - Throws: ``RegistryError`` where it was meant and cannot be used: taking others silently would surprise.
    func credentials() async throws -> S3Credentials?
}

/// The credentials in the environment: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and perhaps `AWS_SESSION_TOKEN`.
struct EnvironmentCredentials: CredentialSource {
    let environment: [String: String]

    var name: String { "the variable AWS_ACCESS_KEY_ID" }

    func credentials() throws -> S3Credentials? {
        let (keyID, secret) = (value("AWS_ACCESS_KEY_ID"), value("AWS_SECRET_ACCESS_KEY"))
        switch (keyID, secret) {
        case (nil, nil): return nil
        case (let keyID?, let secret?):
            return S3Credentials(keyID: keyID, secret: secret, sessionToken: value("AWS_SESSION_TOKEN"))
        default:
            let missing = keyID == nil ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY"
            throw RegistryError(.unusable, "the environment has one half of the credentials: set \(missing) too")
        }
    }

    private func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
}
