package import PackFormat
import PackRegistryAPI
import PackTrust

/// The roles that a person signs and hands in.
package enum SubmittedRole {
    /// The package whose role it is; nil for root and targets, and an error for the online roles.
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
}
