import Foundation

/// Jobs of a CI system that get a token for their id token (OpenID Connect Core 1.0, section 2).
///
/// An issuer signs an id token for each job, with claims about it: the repository, the workflow, the environment. A registry
/// that trusts the issuer for these claims makes a short token of it, so that no secret is kept in CI.
package struct TokenTrust: Hashable, Sendable {
    /// Exactly what the issuer writes in `iss`: an https URL.
    package let issuer: String
    /// What the id token has to be made for, in `aud`. It names this registry, so that a token for another one is worth nothing.
    package let audience: String
    /// Each claim has to be in the id token with this text. A text that ends with `*` admits all that begin so.
    package let claims: [String: String]
    /// Where the issuer's keys are. nil: where its discovery document says, which has to be on the issuer's own host.
    package let keysURL: String?

    /// - Throws: ``RegistryError`` of the kind `.invalid`.
    package init(
        issuer: String, audience: String, claims: [String: String], keysURL: String? = nil
    ) throws(RegistryError) {
        try Self.check(issuer, "the issuer")
        if let keysURL { try Self.check(keysURL, "the address of the keys") }
        guard Self.isText(audience) else {
            throw RegistryError(
                .invalid, "an audience has 1 to \(Self.maximumByteCount) bytes without control characters")
        }
        guard (1...Self.maximumClaimCount).contains(claims.count) else {
            throw RegistryError(
                .invalid,
                "a trust names 1 to \(Self.maximumClaimCount) claims: else every job of the issuer would be admitted")
        }
        for (name, value) in claims { try Self.check(claim: name, value) }
        guard claims.values.contains(where: { !$0.hasSuffix("*") }) else {
            throw RegistryError(.invalid, "at least one claim has to be there with its whole text, without *")
        }
        self.issuer = issuer
        self.audience = audience
        self.claims = claims
        self.keysURL = keysURL
    }

    private static let maximumByteCount = 500
    private static let maximumClaimCount = 20
    /// What the registry itself looks at.
    private static let ownClaims: Set<String> = ["iss", "aud", "exp", "nbf", "iat", "jti"]

    private static func isText(_ text: String) -> Bool {
        (1...maximumByteCount).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// https, or http on this machine, where a test or a proxy answers.
    private static func check(_ text: String, _ what: String) throws(RegistryError) {
        let url = URL(string: text)
        let isLocal = ["127.0.0.1", "localhost", "[::1]", "::1"].contains(url?.host() ?? "")
        guard isText(text), let url, url.scheme == "https" || (url.scheme == "http" && isLocal),
            url.host()?.isEmpty == false, url.query() == nil, url.fragment() == nil, url.user() == nil
        else { throw RegistryError(.invalid, "\(what) is an https URL without a query, not \"\(text)\"") }
    }

    private static func check(claim name: String, _ value: String) throws(RegistryError) {
        guard (1...100).contains(name.utf8.count), name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            !ownClaims.contains(name)
        else { throw RegistryError(.invalid, "\"\(name)\" is no claim that a trust can name") }
        guard isText(value), value != "*", !value.dropLast().contains("*") else {
            throw RegistryError(
                .invalid,
                "the claim \(name) has 1 to \(maximumByteCount) bytes, and a * only at its end, after other text")
        }
    }

    /// The claims, by name, that an id token does not have as they are asked for, byte for byte.
    package func mismatches(_ found: [String: String]) -> [(name: String, found: String?)] {
        claims.sorted { $0.key < $1.key }.compactMap { name, wanted in
            let value = found[name]
            let isPrefix = wanted.hasSuffix("*")
            let text = isPrefix ? wanted.dropLast() : wanted[...]
            let begins = value?.utf8.starts(with: text.utf8) == true
            return begins && (isPrefix || value?.utf8.count == text.utf8.count) ? nil : (name, value)
        }
    }

    /// Byte for byte: to Swift two texts are equal whose characters look alike (U+212A is a K).
    package func isFor(_ issuer: String, _ audiences: [String]) -> Bool {
        self.issuer.utf8.elementsEqual(issuer.utf8) && audiences.contains { $0.utf8.elementsEqual(audience.utf8) }
    }
}
