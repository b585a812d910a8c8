import PackRegistryAPI

/// A CI job's id token whose signature is its issuer's, and whose times are good now.
package struct IDToken: Hashable, Sendable {
    package let issuer: String
    package let audiences: [String]
    /// `jti`: no other token of the issuer has it.
    package let id: String
    /// All claims that are texts, numbers or truth values, as texts.
    package let claims: [String: String]
    /// Whose keys verified it: trusts that name other places for the issuer's keys do not admit it.
    package var keysURLs: Set<String?> = []

    package init(issuer: String, audiences: [String], id: String, claims: [String: String]) {
        self.issuer = issuer
        self.audiences = audiences
        self.id = id
        self.claims = claims
    }

    /// How the log names the job: the token's subject.
    var subject: String { claims["sub"] ?? "" }
}
