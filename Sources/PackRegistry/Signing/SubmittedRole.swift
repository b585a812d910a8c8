package import PackFormat
import PackRegistryAPI
import PackTrust

/// The roles that a person signs and submits.
package enum SubmittedRole {
    /// The package that a role belongs to; nil for root and targets. Throws for the online roles.
    package static func package(of role: String) throws -> PackageID? {
        if role == TopLevelRole.root.rawValue || role == TopLevelRole.targets.rawValue { return nil }
        let prefix = "package."
        guard role.hasPrefix(prefix), let package = try? PackageID(String(role.dropFirst(prefix.count))),
            ViewLayout.role(of: package) == role
        else {
            throw RegistryError(
                .invalid, "the role \"\(role)\" cannot be submitted: root, targets and package.PACKAGE can")
        }
        return package
    }

    /// - Throws: ``RegistryError`` of the kind `.conflict` for a version that is not the next.
    static func checkVersion(_ found: Int, _ expected: Int, _ role: String) throws {
        guard found == expected else {
            throw RegistryError(
                .conflict,
                "\(role) has version \(found) and the registry needs \(expected): somebody else changed it "
                    + "meanwhile. Read it again and sign version \(expected)")
        }
    }

    static func parse<Body: RoleMetadata>(_ bytes: [UInt8], _ role: String) throws -> SignedDocument<Body> {
        do {
            return try SignedDocument(parsing: bytes, name: role)
        } catch {
            throw RegistryError(.invalid, "\(error)")
        }
    }
}
