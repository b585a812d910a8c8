import Foundation
import PackFormat
import PackRegistry
import PackRegistryAPI
import PackTrust

extension ActingRegistry {
    package func submit(metadata bytes: [UInt8], role: String) async throws {
        let package = try SubmittedRole.package(of: role)
        if let package {
            try identity.require(.publish, package: package)
        } else {
            try identity.require(.admin)
        }
        try await BlockingWork.run { [local, identity] in
            try local.commit(as: identity) { db, signer, audit in
                let submission = Submission(
                    publication: Publication(db: db, local: local, identity: identity), signer: signer)
                switch role {
                case TopLevelRole.root.rawValue: try submission.takeRoot(bytes)
                case TopLevelRole.targets.rawValue: try submission.takeTargets(bytes)
                default:
                    guard let package else { return }
                    try submission.takeRole(bytes, of: package)
                }
                try audit.append("metadata", role, "SHA-256 \(Digest(of: bytes))", by: identity, now: signer.now)
                try signer.seal()
            }
        }
    }
}

/// The rules by which a registry takes metadata that the app's owner or a publisher signed, inside one transaction.
///
/// It refuses what every device would refuse, and what would leave it unable to go on.
struct Submission {
    let publication: Publication
    let signer: MetadataSigner

    private var table: MetadataTable { signer.table }

    func takeRole(_ bytes: [UInt8], of package: PackageID) throws {
        let judge = try publication.judge(package)
        guard judge.current != nil else {
            throw RegistryError(.invalid, "\(package) has no version yet: its first role comes with its first version")
        }
        try table.put(judge.judge(bytes, change: .nothing), as: ViewLayout.role(of: package))
    }

    func takeTargets(_ bytes: [UInt8]) throws {
        let role = TopLevelRole.targets
        let document: SignedDocument<TargetsMetadata> = try parse(bytes, role.rawValue)
        let root: SignedDocument<RootMetadata> = try table.required(TopLevelRole.root.rawValue)
        let current: SignedDocument<TargetsMetadata> = try table.required(role.rawValue)
        try checkVersion(document.body.version, current.body.version + 1, role.rawValue)
        do {
            try RoleSuccession(replacing: current, authority: root.body.authority(for: role)).check(document)
        } catch let error {
            throw RegistryError(.forbidden, "\(error): targets is signed with the owner's key")
        }
        guard !document.body.isExpired(at: signer.now) else {
            throw RegistryError(.invalid, "targets has expired already")
        }
        guard document.body.targets.isEmpty else {
            throw RegistryError(.invalid, "targets lists files itself; manifests belong to the packages' roles")
        }
        try checkDelegations(document.body, current: current.body)
        try checkRoles(document.body, current: current.body)
        try checkMinimums(document.body, current: current.body)
        try table.put(document, as: role.rawValue)
        let channels: SignedDocument<TargetsMetadata>? = try table.newest(ViewLayout.channelsRole)
        let authority = document.body.authority(for: ViewLayout.channelsRole)
        if let channels, let authority, (try? channels.verify(by: authority)) != nil { return }
        // The online key is another one now.
        try signer.signChannels()
    }

    func takeRoot(_ bytes: [UInt8]) throws {
        let role = TopLevelRole.root.rawValue
        let document: SignedDocument<RootMetadata> = try parse(bytes, role)
        let current: SignedDocument<RootMetadata> = try table.required(role)
        try checkVersion(document.body.version, current.body.version + 1, role)
        do {
            var trusted = try TrustedMetadata(trustedRoot: current.bytes, time: signer.now)
            try trusted.updateRoot(document.bytes)
            try trusted.checkRoot()
            let targets: SignedDocument<TargetsMetadata> = try table.required(TopLevelRole.targets.rawValue)
            try targets.verify(by: document.body.authority(for: .targets))
        } catch let error as TrustError {
            throw RegistryError(.forbidden, "the new root is refused: \(error)")
        }
        guard document.body.consistentSnapshot else {
            throw RegistryError(.invalid, "the new root turns off consistent snapshots, which this registry needs")
        }
        try table.put(document, as: role)
    }

    /// What a package's role says must still be vouched for: a publication with the old key may have come in between the
    /// steps of a rotation, and devices would refuse the package.
    private func checkRoles(_ targets: TargetsMetadata, current: TargetsMetadata) throws {
        for role in targets.delegations?.roles ?? [] where role.name != ViewLayout.channelsRole {
            guard let authority = targets.authority(for: role.name),
                current.authority(for: role.name)?.keys.values.map(\.id).sorted()
                    != authority.keys.values.map(\.id).sorted(),
                let newest: SignedDocument<TargetsMetadata> = try table.newest(role.name)
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
    private func checkMinimums(_ targets: TargetsMetadata, current: TargetsMetadata) throws {
        for role in targets.delegations?.roles ?? [] {
            let known = current.delegations?.role(named: role.name)?.minimumVersion
            guard let minimum = role.minimumVersion else {
                guard known == nil else { throw lowered(role.name, known) }
                continue
            }
            if let known, minimum < known { throw lowered(role.name, known) }
            let newest: SignedDocument<TargetsMetadata>? = try table.newest(role.name)
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
                + "come back: keep the least version that stands there")
    }

    /// Devices look for a package only in its own role, and for channels only in the registry's.
    private func checkDelegations(_ targets: TargetsMetadata, current: TargetsMetadata) throws {
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
            let isUsed = try table.newestBytes(role.name) != nil
            guard !isUsed else {
                throw RegistryError(
                    .invalid,
                    "targets no longer delegates the role \(role.name), which has published versions: give it "
                        + "another key instead")
            }
        }
    }

    private func checkVersion(_ found: Int, _ expected: Int, _ role: String) throws {
        guard found == expected else {
            throw RegistryError(
                .conflict,
                "\(role) has version \(found) and the registry needs \(expected): somebody else changed it "
                    + "meanwhile. Read it again and sign version \(expected)")
        }
    }

    private func parse<Body: RoleMetadata>(_ bytes: [UInt8], _ role: String) throws -> SignedDocument<Body> {
        do {
            return try SignedDocument(parsing: bytes, name: role)
        } catch {
            throw RegistryError(.invalid, "\(error)")
        }
    }
}
