import Foundation
import PackFormat
import PackJSON
package import PackRegistryAPI

/// Trusts an issuer of id tokens for jobs with some claims. It is a token whose text nobody has.
package struct TrustCreation: RegistryChange {
    private let request: TrustRequest
    private let secret: TokenSecret

    /// - Parameter secret: kept by nobody.
    package init(_ request: TrustRequest, secret: TokenSecret) {
        self.request = request
        self.secret = secret
    }

    package var query: FactsQuery {
        var query = FactsQuery.unsigned
        query.tokens = .trusts
        return query
    }

    package func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws -> TokenRecord {
        try TokenForm.check(name: request.name, request.scope)
        guard !request.scope.actions.contains(.admin) else {
            throw RegistryError(
                .invalid, "no job gets the admin right: whoever can change the workflow would have the registry")
        }
        try checkIdentity(request.trust)
        // Two equal ones would both admit each job, and a job then has to say which one it means.
        if let same = facts.tokens.map(\.record).first(where: { record in
            record.trust == request.trust && record.scope == request.scope && record.revoked == nil
        }) {
            throw RegistryError(
                .conflict,
                "\(same.id) (\(same.name)) trusts the same jobs for the same rights already; packtool token revoke \(same.id) ends it"
            )
        }
        let record = TokenRecord(
            id: secret.id, name: request.name, scope: request.scope, created: changes.time, expires: nil, revoked: nil,
            trust: request.trust)
        changes.tokens.append(.create(RegistryFacts.Token(record: record, hash: secret.hash)))
        let text = String(decoding: JSONValue.object(request.json).canonicalBytes, as: UTF8.self)
        changes.log("token trust", record.id, text)
        return record
    }

    /// A trust in a public issuer has to say whose jobs it means.
    private func checkIdentity(_ trust: TokenTrust) throws(RegistryError) {
        guard let names = PublicIssuer(rawValue: trust.issuer)?.identityClaims else { return }
        guard names.contains(where: { trust.claims[$0].map { !$0.hasSuffix("*") } ?? false }) else {
            throw RegistryError(
                .invalid,
                "\(trust.issuer) signs for everybody: name the repository, by one of the claims \(names.joined(separator: ", ")), whole"
            )
        }
    }
}
