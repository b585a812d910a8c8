import Foundation
package import PackFormat
import PackRegistry
import PackRegistryAPI
package import PackTrust

/// Changes that need the signatures of several people. Each is written as a ``KeyProposal`` and submitted when enough
/// people have signed.
extension KeyMaintenance {
    /// The next root, with other keys for a role or only with a later expiry.
    /// - Parameters:
    ///   - role: `.root`, or `.targets` for the owner's keys.
    ///   - threshold: how many of the keys must sign from then on; nil keeps it.
    /// - Throws: ``RegistryError`` of the kind `.invalid` for a threshold that the keys cannot meet.
    package func proposeRoot(
        _ role: TopLevelRole, adding added: [PublicKey], removing removed: [String], threshold: Int?
    ) async throws -> KeyProposal {
        let (root, _) = try await current()
        let present = root.body.keys(of: role)
        for id in removed where present.filter({ $0.id.hasPrefix(id) }).count != 1 {
            throw RegistryError(.invalid, "no key of this role begins with \(id): see packtool keys list")
        }
        var keys = present.filter { key in !removed.contains { key.id.hasPrefix($0) } }
        keys += added.filter { key in !keys.contains { $0.id == key.id } }
        let needed = threshold ?? root.body.roleKeys(role).threshold
        guard (1...max(1, keys.count)).contains(needed), !keys.isEmpty else {
            throw RegistryError(
                .invalid, "\(needed) signatures cannot come from \(keys.count) keys: give another --threshold")
        }
        return .root(
            try root.revised(expires: later(MetadataLifetime.root), signers: []) {
                $0.setKeys(keys, threshold: needed, for: role)
            })
    }

    /// The next targets with the same content and a later expiry. A new owner signs them before the expiry matters.
    package func proposeTargets() async throws -> KeyProposal {
        let (_, targets) = try await current()
        return .targets(try targets.revised(expires: later(MetadataLifetime.targets), signers: []))
    }

    /// The next targets, in which more keys may publish a package.
    package func proposeDelegation(of package: PackageID, to keys: [PublicKey]) async throws -> KeyProposal {
        let (_, targets) = try await current()
        let known = targets.body.delegations?.authority(for: ViewLayout.role(of: package))?.keys.values ?? []
        let added = keys.filter { key in !known.contains { $0.id == key.id } }
        return .targets(
            try targets.revised(expires: later(MetadataLifetime.targets), signers: []) {
                try $0.setPublishers(known + added, of: package)
            })
    }

    /// The next targets, after which only the present version of a package's role and later ones count.
    package func proposeNewest(of package: PackageID) async throws -> KeyProposal {
        let (targets, version) = try await newest(of: package)
        return .targets(
            try targets.revised(expires: later(MetadataLifetime.targets), signers: []) {
                try $0.requireVersion(version, of: ViewLayout.role(of: package))
            })
    }

    /// The next root and targets, which name a new online key instead of the old one.
    package func proposeOnline(_ new: PublicKey) async throws -> [KeyProposal] {
        let (root, targets) = try await current()
        let nextRoot = try root.revised(expires: later(MetadataLifetime.root), signers: []) { body in
            body.setKeys([new], for: .snapshot)
            body.setKeys([new], for: .timestamp)
        }
        let nextTargets = try targets.revised(expires: later(MetadataLifetime.targets), signers: []) { body in
            try body.delegate(
                ViewLayout.channelsRole, to: [new], paths: [ViewLayout.channelPaths], isTerminating: true)
        }
        return [.root(nextRoot), .targets(nextTargets)]
    }

    /// Submits a proposal. The registry accepts it by the rules of a device.
    package func submit(_ proposal: KeyProposal) async throws {
        try await registry.submit(metadata: proposal.bytes, role: proposal.role.rawValue)
    }

    private func later(_ lifetime: TimeInterval) -> Date { now().addingTimeInterval(lifetime) }
}
