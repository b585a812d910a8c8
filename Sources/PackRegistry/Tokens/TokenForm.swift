import Foundation
import PackRegistryAPI

/// The form that a new token's name and scope must have. ``AuthorizedRegistry`` checks whether a token's scope allows a call.
enum TokenForm {
    /// - Throws: ``RegistryError`` of the kind `.invalid`.
    static func check(name: String, _ scope: TokenScope) throws(RegistryError) {
        guard !name.isEmpty, name.utf8.count <= 100,
            name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else {
            throw RegistryError(.invalid, "a token needs a name of 1 to 100 bytes without control characters")
        }
        for (prefix, owner) in Identity.reservedPrefixes where name.hasPrefix(prefix) {
            throw RegistryError(.invalid, "in the log, \(prefix) is the prefix of \(owner)")
        }
        guard !scope.actions.isEmpty else {
            throw RegistryError(
                .invalid, "a token needs at least one action: publish, release, observe or admin")
        }
        if scope.actions.contains(.admin), scope.packages != nil || scope.channels != nil {
            throw RegistryError(.invalid, "the admin right cannot be limited to packages or channels")
        }
    }
}
