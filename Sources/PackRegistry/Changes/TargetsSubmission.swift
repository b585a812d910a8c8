import PackFormat
import PackRegistryAPI
import PackTrust

/// Newer targets, signed by the owner's key: who may publish which package. The registry refuses them if devices
/// would refuse them, or if they would leave the registry unable to sign.
package struct TargetsSubmission: RegistryChange {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package var query: FactsQuery {
        var query = FactsQuery()
        // All whose keys or least version may change, which is seen once the present targets are read.
        let document: SignedDocument<TargetsMetadata>? = try? SubmittedRole.parse(
            bytes, TopLevelRole.targets.rawValue)
        query.roles = Set(document?.body.delegations?.roles.map(\.name) ?? [])
        return query
    }

    package func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws {
        let role = TopLevelRole.targets
        let document: SignedDocument<TargetsMetadata> = try SubmittedRole.parse(bytes, role.rawValue)
        let root: SignedDocument<RootMetadata> = try facts.required(TopLevelRole.root.rawValue)
        let current: SignedDocument<TargetsMetadata> = try facts.required(role.rawValue)
        try SubmittedRole.checkVersion(document.body.version, current.body.version + 1, role.rawValue)
        do {
            try RoleSuccession(replacing: current, authority: root.body.authority(for: role)).check(document)
        } catch let error {
            throw RegistryError(.forbidden, "\(error): targets is signed with the owner's key")
        }
        guard !document.body.isExpired(at: changes.time) else {
            throw RegistryError(.invalid, "targets has expired already")
        }
        guard document.body.targets.isEmpty else {
            throw RegistryError(.invalid, "targets lists files, which belong in the packages' roles")
        }
        try checkDelegations(document.body, current: current.body, facts)
        try checkRoles(document.body, current: current.body, facts)
        try checkMinimums(document.body, current: current.body, facts)
        changes.put(document, as: role.rawValue)
        changes.log("metadata", role.rawValue, "SHA-256 \(Digest(of: bytes))")
        changes.signs = true
        let channels: SignedDocument<TargetsMetadata>? = try facts.newest(ViewLayout.channelsRole)
        let authority = document.body.authority(for: ViewLayout.channelsRole)
        if let channels, let authority, (try? channels.verify(by: authority)) != nil { return }
        // The online key is another one now.
        changes.signsChannels = true
    }

    /// What a package's role says must still be vouched for: a publication with the old key may have come in between the
    /// steps of a rotation, and devices would refuse the package.
    private func checkRoles(_ targets: TargetsMetadata, current: TargetsMetadata, _ facts: RegistryFacts) throws {
        for role in targets.delegations?.roles ?? [] where role.name != ViewLayout.channelsRole {
            guard let authority = targets.authority(for: role.name),
                current.authority(for: role.name)?.keys.values.map(\.id).sorted()
                    != authority.keys.values.map(\.id).sorted(),
                let newest: SignedDocument<TargetsMetadata> = try facts.newest(role.name)
            else { continue }
            do { try newest.verify(by: authority) } catch {
                throw RegistryError(
                    .conflict,
                    "\(role.name) was signed by a key that targets would drop, so devices would refuse it: sign it with "
                        + "one that stays first (\(error))")
            }
        }
    }

    /// A least version that is not there yet would stop the package on every device; one that goes down would undo a
    /// withdrawal for those that have seen neither.
    private func checkMinimums(_ targets: TargetsMetadata, current: TargetsMetadata, _ facts: RegistryFacts) throws {
        for role in targets.delegations?.roles ?? [] {
            let known = current.delegations?.role(named: role.name)?.minimumVersion
            guard let minimum = role.minimumVersion else {
                guard known == nil else { throw lowered(role.name, known) }
                continue
            }
            if let known, minimum < known { throw lowered(role.name, known) }
            let newest: SignedDocument<TargetsMetadata>? = try facts.newest(role.name)
            guard minimum <= newest?.body.version ?? 0 else {
                throw RegistryError(
                    .invalid,
                    "targets asks for version \(minimum) of \(role.name) and the newest is "
                        + "\(newest?.body.version ?? 0): devices would refuse the package")
            }
        }
    }

    private func lowered(_ role: String, _ known: Int?) -> RegistryError {
        RegistryError(
            .invalid,
            "targets would let versions of \(role) below \(known ?? 1) count again, so that what was withdrawn could "
                + "come back: keep the minimum version in it")
    }

    /// Devices look for a package only in its own role, and for channels only in the registry's.
    private func checkDelegations(_ targets: TargetsMetadata, current: TargetsMetadata, _ facts: RegistryFacts) throws {
        for role in targets.delegations?.roles ?? [] {
            let paths: [String]
            if role.name == ViewLayout.channelsRole {
                paths = [ViewLayout.channelPaths]
            } else if let package = try SubmittedRole.package(of: role.name) {
                paths = [ViewLayout.manifestPaths(of: package)]
            } else {
                throw RegistryError(.invalid, "targets delegates the role \"\(role.name)\", which nothing here uses")
            }
            guard role.scope == .paths(paths) else {
                throw RegistryError(
                    .invalid, "the role \(role.name) must have the paths \(paths.joined()) and no others")
            }
        }
        for role in current.delegations?.roles ?? [] where targets.delegations?.role(named: role.name) == nil {
            let isUsed = facts.roleVersions[role.name] != nil
            guard !isUsed else {
                throw RegistryError(
                    .invalid,
                    "targets no longer delegates the role \(role.name), which has published versions: give it "
                        + "another key instead")
            }
        }
    }
}
