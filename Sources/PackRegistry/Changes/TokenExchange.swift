package import Foundation
import PackFormat
import PackJSON
package import PackRegistryAPI

/// A short access token for a CI job, by a trust that its id token fulfils.
///
/// The token's id follows from the issuer and the id token's own id (`jti`), and no two tokens have one id. So an id token makes
/// one access token, however often and wherever it is sent again (OpenID Connect Core 1.0, section 16.11).
package struct TokenExchange: RegistryChange {
    /// Seconds that the access token holds.
    package static let life: TimeInterval = 900
    /// Seconds after which an access token's row is no longer needed: no id token is accepted for so long.
    package static let memory: TimeInterval = 2 * IDTokenTimes.maximumLife

    private static let maximumSubjectLength = 200

    private let token: IDToken
    private let trust: String?
    private let secret: TokenSecret

    /// - Parameter trust: the id of the trust, where the job may have several.
    package init(_ token: IDToken, trust: String?, secret: TokenSecret) {
        self.token = token
        self.trust = trust
        self.secret = secret
    }

    package var query: FactsQuery {
        var query = FactsQuery.unsigned
        query.tokens = .all
        return query
    }

    package func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws -> CreatedToken {
        let records = facts.tokens.map(\.record)
        let parent = try parent(among: records)
        let id = String(Digest(of: Array("\(token.issuer)\0\(token.id)".utf8)).hex.prefix(16))
        guard !records.contains(where: { $0.id == id }) else {
            throw RegistryError(
                .conflict,
                "this id token was exchanged before: ask the CI system for another one, or go on with the token")
        }
        let record = TokenRecord(
            id: id, name: name(parent), scope: parent.scope, created: changes.time,
            expires: changes.time.addingTimeInterval(Self.life), revoked: nil, parent: parent.id)
        for old in records where old.parent != nil {
            guard let expires = old.expires, expires.addingTimeInterval(Self.memory) < changes.time else { continue }
            changes.tokens.append(.forget(id: old.id))
        }
        changes.tokens.append(.create(RegistryFacts.Token(record: record, hash: secret.hash)))
        var claims: JSONObject = [:]
        for name in parent.trust?.claims.keys.sorted() ?? [] { claims[name] = token.claims[name].map { .string($0) } }
        let text = String(decoding: JSONValue.object(claims).canonicalBytes, as: UTF8.self)
        changes.log("token exchange", record.id, "\(parent.name) (\(parent.id)) \(text)")
        return CreatedToken(record: record, secret: secret.text)
    }

    /// The trust, and of the job what its issuer calls it.
    private func name(_ parent: TokenRecord) -> String {
        let subject = token.subject.unicodeScalars.filter { $0.properties.generalCategory != .control }
        guard !subject.isEmpty else { return parent.name }
        var name = "\(parent.name): "
        name.unicodeScalars.append(contentsOf: subject.prefix(Self.maximumSubjectLength))
        return name
    }

    private func parent(among records: [TokenRecord]) throws -> TokenRecord {
        if let trust, !records.contains(where: { $0.id == trust && $0.trust != nil && $0.revoked == nil }) {
            throw RegistryError(
                .unauthorized,
                "this registry has no trust \"\(trust)\"; packtool token list shows the ids of those it has")
        }
        let named = records.filter { record in
            guard let known = record.trust, record.revoked == nil else { return false }
            return known.isFor(token.issuer, token.audiences) && token.keysURLs.contains(known.keysURL)
                && (trust == nil || record.id == trust)
        }
        let fitting = named.filter { $0.trust?.mismatches(token.claims).isEmpty == true }
        if fitting.count > 1 {
            let list = fitting.map { "\($0.id) (\($0.name))" }.sorted().joined(separator: ", ")
            throw RegistryError(.invalid, "several trusts admit this job, so say which one is meant: \(list)")
        }
        guard let only = fitting.first else { throw RegistryError(.unauthorized, refusal(named)) }
        return only
    }

    /// What a person compares with `packtool token list`. What trusts ask for is not said: anybody can have an id token of a public
    /// issuer.
    private func refusal(_ named: [TokenRecord]) -> String {
        guard !named.isEmpty else {
            let audiences = token.audiences.joined(separator: ", ")
            return
                "no trust of this registry is for id tokens of \(token.issuer) with the audience \(audiences): ask for one with "
                + "the audience of packtool token list"
        }
        let reasons = Set(
            named.compactMap { record in
                record.trust?.mismatches(token.claims).map { "\($0.name) is \($0.found ?? "not there")" }
                    .joined(separator: " and ")
            })
        return "no trust of this registry admits this job; compare with packtool token list: "
            + reasons.sorted().joined(separator: ", ")
    }
}
