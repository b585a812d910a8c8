package import Foundation
package import PackFormat
import PackRegistry
package import PackRegistryAPI
package import PackTrust

/// Changes who may sign what, in any registry: delegations, rotations, revocations.
///
/// A key is replaced in steps, after each of which everything verifies: both keys are named, the new one signs
/// everything, the old one is dropped. No app release is needed, because devices follow the chain of roots.
package struct KeyMaintenance: Sendable {
    let registry: any Registry
    private let trust: PublisherTrust
    let now: @Sendable () -> Date

    package init(
        registry: any Registry, trust: PublisherTrust, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.registry = registry
        self.trust = trust
        self.now = now
    }

    /// The present root and targets.
    package func current() async throws -> (
        root: SignedDocument<RootMetadata>, targets: SignedDocument<TargetsMetadata>
    ) {
        try await trust.refresh()
    }

    /// Lets more keys publish a package.
    /// - Returns: False if all of them may already.
    package func delegate(
        _ package: PackageID, to keys: [PublicKey], owner: [any Signer]
    ) async throws -> Bool {
        let (_, targets) = try await trust.refresh()
        let name = ViewLayout.role(of: package)
        let known = targets.body.delegations?.authority(for: name)?.keys.values ?? []
        let added = keys.filter { key in !known.contains { $0.id == key.id } }
        guard !added.isEmpty else { return false }
        try await reviseTargets(targets, owner: owner) { try $0.setPublishers(known + added, of: package) }
        return true
    }

    /// Has the owner sign that only the present version of a package's role and later ones count. From then on nobody
    /// can show a device a withdrawn version, not even a device that has seen nothing yet, and not with the
    /// registry's own key.
    /// - Returns: The version, and whether it is new.
    package func requireNewest(
        of package: PackageID, owner: [any Signer]
    ) async throws -> (version: Int, isNew: Bool) {
        let (targets, version) = try await newest(of: package)
        let name = ViewLayout.role(of: package)
        if targets.body.delegations?.role(named: name)?.minimumVersion == version { return (version, false) }
        try await reviseTargets(targets, owner: owner) { try $0.requireVersion(version, of: name) }
        return (version, true)
    }

    /// Has the owner sign whether each new version needs a signed statement of how it was built.
    /// - Returns: False if it was so before.
    package func requireProvenance(_ isRequired: Bool, owner: [any Signer]) async throws -> Bool {
        let (_, targets) = try await trust.refresh()
        guard targets.body.requiresProvenance != isRequired else { return false }
        try await reviseTargets(targets, owner: owner) { $0.requiresProvenance = isRequired }
        return true
    }

    /// The present targets, and the version of a package's role.
    func newest(of package: PackageID) async throws -> (targets: SignedDocument<TargetsMetadata>, version: Int) {
        let (_, targets) = try await trust.refresh()
        guard let role = try await trust.role(of: package) else {
            throw RegistryError(.notFound, "\(package) is not published here")
        }
        return (targets, role.body.version)
    }

    /// Revokes a key's right to publish, for one package or for all, and signs the packages' roles anew if needed.
    /// - Returns: The packages that the key could publish.
    package func revoke(
        keyID: String, package: PackageID?, owner: [any Signer], publisher: [any Signer]
    ) async throws -> [PackageID] {
        let (_, targets) = try await trust.refresh()
        let all = Self.packages(in: targets.body).filter { package == nil || $0.package == package }
        let affected = all.filter { $0.keys.contains { $0.id == keyID } }
        guard !affected.isEmpty else { return try await finishRevocation(of: keyID, in: all, by: publisher) }
        for entry in affected where entry.keys.count == 1 {
            throw RegistryError(
                .invalid,
                "\(keyID) is the only key that may publish \(entry.package): delegate the package to another one "
                    + "first (packtool keys delegate)")
        }
        var without = targets.body
        for entry in affected { try without.setPublishers(entry.keys.filter { $0.id != keyID }, of: entry.package) }
        // Only what the revoked key alone signed no longer holds. A key that can sign it again is needed before anything
        // changes: with a role that nobody vouches for, devices refuse the package.
        var resigned: [(package: PackageID, signers: [any Signer])] = []
        for entry in affected {
            guard let role = try await trust.role(of: entry.package),
                let kept = without.authority(for: ViewLayout.role(of: entry.package)),
                (try? role.verify(by: kept)) == nil
            else { continue }
            let signers = publisher.filter { kept.keys[$0.publicKey.id] != nil }
            guard !signers.isEmpty else {
                throw RegistryError(
                    .forbidden,
                    "\(entry.package) was last signed by that key, and none of the others is available here to sign it again: "
                        + "run this where one of them is, or set \(KeyFolder.Name.publisher.variable)")
            }
            resigned.append((entry.package, signers))
        }
        // First, while both keys count: at no moment does a role stand that nobody vouches for.
        for entry in resigned { try await signAnew(entry.package, by: entry.signers) }
        try await reviseTargets(targets, owner: owner) { body in
            for entry in affected {
                try body.setPublishers(entry.keys.filter { $0.id != keyID }, of: entry.package)
            }
        }
        return affected.map(\.package)
    }

    /// Signs again what the key signed, where an earlier revocation came no further than to take its right.
    private func finishRevocation(
        of keyID: String, in all: [(package: PackageID, keys: [PublicKey])], by publisher: [any Signer]
    ) async throws -> [PackageID] {
        var finished: [PackageID] = []
        for entry in all where (try? await trust.role(of: entry.package)) == nil {
            guard let role = try await trust.role(of: entry.package, requiringSignature: false),
                role.signatures.contains(where: { $0.keyID == keyID })
            else { continue }
            try await signAnew(
                entry.package,
                by: publisher.filter { signer in
                    entry.keys.contains { $0.id == signer.publicKey.id }
                })
            finished.append(entry.package)
        }
        return finished
    }

    /// Replaces the publisher's key in every package that it may publish.
    /// - Returns: the packages.
    package func rotatePublisher(
        from old: PublicKey, to new: any Signer, owner: [any Signer]
    ) async throws -> [PackageID] {
        let (_, targets) = try await trust.refresh()
        let affected = Self.packages(in: targets.body).filter { $0.keys.contains { $0.id == old.id } }
        guard !affected.isEmpty else { return [] }
        try await reviseTargets(targets, owner: owner) { body in
            for entry in affected { try body.setPublishers(entry.keys + [new.publicKey], of: entry.package) }
        }
        for entry in affected { try await signAnew(entry.package, by: [new]) }
        let (_, both) = try await trust.refresh()
        try await reviseTargets(both, owner: owner) { body in
            for entry in affected {
                let kept = entry.keys.filter { $0.id != old.id }
                try body.setPublishers(kept + [new.publicKey], of: entry.package)
            }
        }
        return affected.map(\.package)
    }

    /// Replaces the owner's key, which signs targets.
    package func rotateOwner(from old: any Signer, to new: any Signer, root: [any Signer]) async throws {
        let (present, _) = try await trust.refreshOfExpiredTargets()
        let kept = present.body.keys(of: .targets).filter { $0.id != old.publicKey.id }
        let threshold = present.body.roleKeys(.targets).threshold
        try await reviseRoot(present, signers: root) {
            $0.setKeys(kept + [old.publicKey, new.publicKey], threshold: threshold, for: .targets)
        }
        let (both, targets) = try await trust.refreshOfExpiredTargets()
        try await reviseTargets(targets, owner: [new]) { _ in }
        try await reviseRoot(both, signers: root) {
            $0.setKeys(kept + [new.publicKey], threshold: threshold, for: .targets)
        }
    }

    /// Replaces a root key. The old and the new key sign the new root.
    package func rotateRoot(from old: any Signer, to new: any Signer, others: [any Signer] = []) async throws {
        let present = try await rootOfAnyAge()
        let kept = present.body.keys(of: .root).filter { $0.id != old.publicKey.id }
        let threshold = present.body.roleKeys(.root).threshold
        try await reviseRoot(present, signers: [old, new] + others) {
            $0.setKeys(kept + [new.publicKey], threshold: threshold, for: .root)
        }
    }

    /// Makes root and targets name another online key. The registry, which has it already, signs everything anew.
    package func rotateOnline(to new: PublicKey, root: [any Signer], owner: [any Signer]) async throws {
        // Root first: where the old key is lost, nothing can be signed before root names the new one.
        try await reviseRoot(try await signableRoot().root, signers: root) { body in
            body.setKeys([new], for: .snapshot)
            body.setKeys([new], for: .timestamp)
        }
        try await reviseTargets(try await trust.refresh().targets, owner: owner) { body in
            try body.delegate(
                ViewLayout.channelsRole, to: [new], paths: [ViewLayout.channelPaths], isTerminating: true)
        }
    }

    /// The present root, and targets unless something on the way to them has expired.
    func signableRoot() async throws -> (
        root: SignedDocument<RootMetadata>, targets: SignedDocument<TargetsMetadata>?
    ) {
        do { return try await trust.refresh() } catch TrustError.expired(let role, let expires) {
            guard role != TopLevelRole.root.rawValue, let root = try trust.keptRoot() else {
                throw TrustError.expired(role: role, expires: expires)
            }
            return (root, nil)
        }
    }

    /// The present root, also one that has expired: what follows it is judged by its keys, and only the newest must be in date (TUF
    /// section 5.3.10).
    private func rootOfAnyAge() async throws -> SignedDocument<RootMetadata> {
        do { return try await trust.refresh().root } catch TrustError.expired(let role, let expires) {
            guard let root = try trust.keptRoot() else { throw TrustError.expired(role: role, expires: expires) }
            return root
        }
    }

    /// Reads what a rotation begins with, so that one which cannot be made leaves no new key.
    /// - Parameter ofRoot: Whether the root key is rotated.
    package func checkRotation(ofRoot: Bool) async throws {
        _ = if ofRoot { try await rootOfAnyAge() } else { try await signableRoot().root }
    }

    /// The keys that root and targets name for the registry's own signatures.
    package func onlineKeys() async throws -> [PublicKey] {
        let (root, targets) = try await current()
        return [TopLevelRole.snapshot, .timestamp].flatMap { root.body.keys(of: $0) }
            + (targets.body.authority(for: ViewLayout.channelsRole)?.keys.values ?? [])
    }

    /// The packages that targets delegates, with the keys that may publish each.
    package static func packages(in targets: TargetsMetadata) -> [(package: PackageID, keys: [PublicKey])] {
        (targets.delegations?.roles ?? []).compactMap { role in
            guard let package = try? SubmittedRole.package(of: role.name) else { return nil }
            return (package, targets.authority(for: role.name)?.keys.values ?? [])
        }
    }

    /// Signs a package's role again without changes, if it has one.
    private func signAnew(_ package: PackageID, by signers: [any Signer]) async throws {
        _ = try await trust.refresh()
        guard let role = try await trust.role(of: package, requiringSignature: false) else { return }
        let document = try role.revised(
            expires: now().addingTimeInterval(MetadataLifetime.package), signers: signers)
        try await registry.submit(metadata: document.bytes, role: ViewLayout.role(of: package))
    }

    func reviseTargets(
        _ targets: SignedDocument<TargetsMetadata>, owner: [any Signer],
        _ change: (inout TargetsMetadata) throws -> Void
    ) async throws {
        guard !owner.isEmpty else {
            throw RegistryError(
                .forbidden,
                "this needs the owner's key: set \(KeyFolder.Name.owner.variable), or run it where the key is")
        }
        let document = try targets.revised(
            expires: now().addingTimeInterval(MetadataLifetime.targets), signers: owner, change)
        try await registry.submit(metadata: document.bytes, role: TopLevelRole.targets.rawValue)
    }

    func reviseRoot(
        _ root: SignedDocument<RootMetadata>, signers: [any Signer], _ change: (inout RootMetadata) throws -> Void
    ) async throws {
        guard !signers.isEmpty else {
            throw RegistryError(
                .forbidden, "this needs the root key: set \(KeyFolder.Name.root.variable), or run it where the key is")
        }
        let document = try root.revised(
            expires: now().addingTimeInterval(MetadataLifetime.root), signers: signers, change)
        do {
            try document.verify(by: root.body.authority(for: .root))
        } catch {
            let named = root.body.keys(of: .root)
            guard signers.contains(where: { signer in named.contains { $0.id == signer.publicKey.id } }) else {
                throw RegistryError(
                    .forbidden,
                    "the root key here is not one of those that root \(root.body.version) of the registry names: nothing was changed. Run "
                        + "this in the project that has that key, or give it in \(KeyFolder.Name.root.variable). If the registry was restored "
                        + "from a backup that is older than the key, run packtool keys rotate online --restored in the project that "
                        + "replaced it"
                )
            }
            throw RegistryError(
                .forbidden, "\(error): write the change with packtool keys propose, for the others to sign")
        }
        try await registry.submit(metadata: document.bytes, role: TopLevelRole.root.rawValue)
    }
}

extension TargetsMetadata {
    /// Sets the keys that may publish a package; any one of them is enough.
    mutating func setPublishers(_ keys: [PublicKey], of package: PackageID) throws {
        try delegate(
            ViewLayout.role(of: package), to: keys, paths: [ViewLayout.manifestPaths(of: package)],
            isTerminating: true)
    }
}
