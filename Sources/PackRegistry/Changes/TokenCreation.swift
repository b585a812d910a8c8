import Foundation
import PackFormat
import PackJSON
package import PackRegistryAPI

/// A new access token. Its text is made beforehand and shown once; only its hash is recorded.
package struct TokenCreation: RegistryChange {
    private let request: TokenRequest
    private let secret: TokenSecret

    package init(_ request: TokenRequest, secret: TokenSecret) {
        self.request = request
        self.secret = secret
    }

    package var query: FactsQuery { .unsigned }

    package func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws -> CreatedToken {
        try TokenForm.check(name: request.name, request.scope)
        if let expires = request.expires, expires <= changes.time {
            throw RegistryError(.invalid, "the token would have expired already")
        }
        let record = TokenRecord(
            id: secret.id, name: request.name, scope: request.scope, created: changes.time, expires: request.expires,
            revoked: nil)
        changes.tokens.append(.create(RegistryFacts.Token(record: record, hash: secret.hash)))
        let scope = String(decoding: request.scope.json.canonicalBytes, as: UTF8.self)
        changes.log("token create", record.id, "\(request.name) \(scope)")
        return CreatedToken(record: record, secret: secret.text)
    }
}
