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
        try check(request, now: changes.time)
        let record = TokenRecord(
            id: String(secret.hash.hex.prefix(12)), name: request.name, scope: request.scope, created: changes.time,
            expires: request.expires, revoked: nil)
        changes.tokens.append(.create(RegistryFacts.Token(record: record, hash: secret.hash)))
        let scope = String(decoding: request.scope.json.canonicalBytes, as: UTF8.self)
        changes.log("token create", record.id, "\(request.name) \(scope)")
        return CreatedToken(record: record, secret: secret.text)
    }

    private func check(_ request: TokenRequest, now: Date) throws(RegistryError) {
        guard !request.name.isEmpty, request.name.utf8.count <= 100,
            request.name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else {
            throw RegistryError(.invalid, "a token needs a name of 1 to 100 bytes without control characters")
        }
        for (prefix, owner) in Identity.reservedPrefixes where request.name.hasPrefix(prefix) {
            throw RegistryError(.invalid, "in the log, \(prefix) is the prefix of \(owner)")
        }
        guard !request.scope.actions.isEmpty else {
            throw RegistryError(
                .invalid, "a token needs at least one action: publish, release, observe or admin")
        }
        if request.scope.actions.contains(.admin), request.scope.packages != nil || request.scope.channels != nil {
            throw RegistryError(.invalid, "the admin right cannot be limited to packages or channels")
        }
        if let expires = request.expires, expires <= now {
            throw RegistryError(.invalid, "the token would have expired already")
        }
    }
}
