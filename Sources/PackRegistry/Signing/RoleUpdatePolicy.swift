package import Foundation
package import PackFormat
package import PackRegistryAPI
package import PackTrust

/// Decides whether a registry accepts a package's new role. Pure: the current role, the authority and the clock are
/// parameters.
package struct RoleUpdatePolicy {
    /// What a new role may change besides its expiry.
    package enum Change: Hashable, Sendable {
        case publish(SemanticVersion, manifest: Digest, length: Int)
        case withdraw(SemanticVersion)
        case nothing
    }

    private let package: PackageID
    let authority: RoleAuthority
    package let current: SignedDocument<TargetsMetadata>?
    private let now: Date
    /// Whether the app's owner wants to know how each version was built.
    let requiresProvenance: Bool

    package init(
        package: PackageID, authority: RoleAuthority, current: SignedDocument<TargetsMetadata>?, now: Date,
        requiresProvenance: Bool
    ) {
        self.package = package
        self.authority = authority
        self.current = current
        self.now = now
        self.requiresProvenance = requiresProvenance
    }

    /// - Throws: `.conflict` if somebody else's version came first, `.forbidden` for the wrong signatures, `.invalid`
    ///   for everything else.
    package func judge(_ bytes: [UInt8], change: Change) throws(RegistryError) -> SignedDocument<TargetsMetadata> {
        let name = "the role \(ViewLayout.role(of: package))"
        let document: SignedDocument<TargetsMetadata>
        do {
            document = try SignedDocument(parsing: bytes, name: name)
        } catch {
            throw RegistryError(.invalid, "\(error)")
        }
        let role = document.body
        let expected = (current?.body.version ?? 0) + 1
        guard role.version == expected else {
            throw RegistryError(
                .conflict,
                "\(name) has version \(role.version) and the registry needs \(expected): somebody else "
                    + "published \(package) meanwhile. Read the role again and sign version \(expected)")
        }
        do {
            try document.verify(by: authority)
        } catch {
            throw RegistryError(
                .forbidden,
                "\(error): sign with the key that the app's owner delegated \(package) to, or ask the owner "
                    + "to delegate it to yours (packtool keys delegate)")
        }
        guard !role.isExpired(at: now) else { throw RegistryError(.invalid, "\(name) has expired already") }
        guard role.delegations == nil else {
            throw RegistryError(.invalid, "\(name) delegates further, which a package's role may not")
        }
        try judge(role.targets, change: change, name: name)
        return document
    }

    private func judge(
        _ targets: NameTable<TargetInfo>, change: Change, name: String
    ) throws(RegistryError) {
        var expected = current?.body.targets ?? [:]
        switch change {
        case .publish(let version, let manifest, let length):
            let path = ViewLayout.manifestTarget(package, version)
            guard let listed = targets[path], listed.length == length, listed.hashes.sha256 == manifest.hex else {
                throw RegistryError(.invalid, "\(name) does not list \(path) with the manifest \(manifest)")
            }
            // What the publisher wrote, so that further hashes are kept.
            expected[path] = listed
        case .withdraw(let version):
            let path = ViewLayout.manifestTarget(package, version)
            guard expected[path] != nil else {
                throw RegistryError(.notFound, "\(package) \(version) is not published")
            }
            expected[path] = nil
        case .nothing: break
        }
        for entry in expected.entries where targets[entry.name] != entry.value {
            throw RegistryError(
                .invalid,
                targets[entry.name] == nil
                    ? "\(name) no longer lists \(entry.name): versions leave only by packtool withdraw"
                    : "\(name) lists \(entry.name) with other content than before: a version never changes")
        }
        for entry in targets.entries where expected[entry.name] == nil {
            throw RegistryError(.invalid, "\(name) lists \(entry.name), which is not what was asked for")
        }
    }
}
