import Foundation
import PackJSON
import PackRegistry
import PackRegistryAPI

/// Verifies the id tokens of CI jobs (RFC 7519, RFC 8725; OpenID Connect Core 1.0, section 3.1.3.7).
///
/// It only reads the audience and the job's claims. ``TokenExchange``, which each exchange goes through, compares them: the issuer and the
/// audience by `TokenTrust.isFor`, the claims by `TokenTrust.mismatches`.
///
/// The token chooses nothing but the key among its issuer's: the issuer has to be trusted before it is asked, and the algorithm has
/// to be one that the key verifies.
struct IDTokenVerifier: Sendable {
    static let maximumByteCount = 16 << 10
    private static let maximumKeyIDLength = 200

    let keys: IssuerKeys
    /// The trusts for an issuer.
    let trusts: @Sendable (String) async throws -> [TokenTrust]

    /// - Throws: ``RegistryError`` of the kind `.unauthorized` for a token that proves nothing, `.unreachable` where the issuer cannot
    ///   be asked for its keys.
    func verify(_ text: String, now: Date) async throws -> IDToken {
        let parts =
            text.utf8.count <= Self.maximumByteCount
            ? text.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false) : []
        guard parts.count == 3, let header = Self.object(parts[0]),
            let payload = Self.object(parts[1]), let signature = Base64URL.decode(parts[2])
        else { throw Self.refusal("it is no JSON Web Token of at most \(Self.maximumByteCount) bytes") }
        let signedCount = parts[0].utf8.count + 1 + parts[1].utf8.count
        let (algorithm, keyID) = try Self.read(header)
        guard let issuer = try? payload.string("iss") else { throw Self.refusal("it names no issuer") }
        let known = try await trusts(issuer)
        guard !known.isEmpty else {
            throw RegistryError(.unauthorized, "this registry does not trust the issuer \"\(issuer)\"")
        }
        var token = try Self.claims(payload, issuer, now)
        var failure: any Error = Self.refusal("its signature is not the issuer's")
        for place in Set(known.map(\.keysURL)) {
            do {
                let key = try await keys.key(keyID, of: issuer, at: place, now: now)
                let signed = Array(text.utf8.prefix(signedCount))
                if key.isValid(signature, for: signed, by: algorithm) { token.keysURLs.insert(place) }
            } catch { failure = error }
        }
        guard !token.keysURLs.isEmpty else { throw failure }
        return token
    }

    private static func refusal(_ reason: String) -> RegistryError {
        RegistryError(.unauthorized, "the id token is not accepted: \(reason)")
    }

    private static func object(_ part: Substring) -> JSONObject? {
        Base64URL.decode(part).flatMap { try? JSONValue(parsing: $0).object() }
    }

    private static func read(_ header: JSONObject) throws -> (algorithm: String, keyID: String) {
        guard let algorithm = try? header.string("alg"), JSONWebKey.algorithms.contains(algorithm) else {
            throw refusal("its algorithm is none of \(JSONWebKey.algorithms.sorted().joined(separator: ", "))")
        }
        guard header["crit"] == nil else { throw refusal("it demands what this registry does not know (crit)") }
        guard let keyID = try? header.string("kid"), (1...maximumKeyIDLength).contains(keyID.utf8.count) else {
            throw refusal("it does not name its key (kid)")
        }
        return (algorithm, keyID)
    }

    private static func claims(_ payload: JSONObject, _ issuer: String, _ now: Date) throws -> IDToken {
        guard let expires = date(payload["exp"]) else { throw refusal("it does not say when it expires") }
        for name in ["nbf", "iat"] where payload[name] != nil && date(payload[name]) == nil {
            throw refusal("its claim \(name) is no time")
        }
        try IDTokenTimes.check(
            expires: expires, notBefore: date(payload["nbf"]), issued: date(payload["iat"]), now: now)
        guard let id = try? payload.string("jti"), (1...maximumKeyIDLength).contains(id.utf8.count) else {
            throw refusal("it has no id (jti), so it could be used twice")
        }
        let audience = payload["aud"]
        let audiences =
            (try? audience?.string()).map { [$0] } ?? (try? audience?.array().map { try $0.string() }) ?? []
        var claims: [String: String] = [:]
        // Names of claims are ASCII (RFC 7519, section 4.2); two that Swift takes for equal must not replace each other.
        for member in payload.members where member.key.utf8.allSatisfy({ $0 < 0x80 }) {
            claims[member.key] = text(member.value)
        }
        return IDToken(issuer: issuer, audiences: audiences, id: id, claims: claims)
    }

    /// Seconds since 1970 (RFC 7519, section 2: NumericDate), of this century.
    private static func date(_ value: JSONValue?) -> Date? {
        guard case .integer(let seconds)? = value, (0...4_102_444_800).contains(seconds) else { return nil }
        return Date(timeIntervalSince1970: Double(seconds))
    }

    private static func text(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .bool(let isTrue): isTrue ? "true" : "false"
        default: nil
        }
    }
}
