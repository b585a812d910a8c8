import PackRegistryAPI
package import PackTrust

/// A registry whose rows are older than what devices have seen.
extension KeyMaintenance {
    /// Submits once more the roots that a restored registry has lost, up to the last one that replaced a root key or the owner's: devices
    /// have them, and take no others in their place. Targets that the owner's lost key had signed are signed by the present one on the way.
    /// - Parameter seen: All roots that were seen, the oldest first.
    package func bringBack(_ seen: [[UInt8]], owner: [any Signer]) async throws {
        let roots = try seen.map { try SignedDocument<RootMetadata>(parsing: $0) }
        let last = roots.indices.dropFirst().last { index in
            [TopLevelRole.root, .targets].contains { role in
                let (before, after) = (roots[index - 1].body.keys(of: role), roots[index].body.keys(of: role))
                return Set(before.map(\.id)) != Set(after.map(\.id))
            }
        }
        guard let last else { return }
        for root in roots[...last] {
            let (present, targets) = try await signableRoot()
            guard root.body.version > present.body.version else { continue }
            if let targets, (try? targets.verify(by: root.body.authority(for: .targets))) == nil {
                try await reviseTargets(targets, owner: owner) { _ in }
            }
            try await registry.submit(metadata: root.bytes, role: TopLevelRole.root.rawValue)
        }
    }

    /// Signs root again without changes until its version is above one that devices have seen: the registry's rows lost the newer
    /// roots, and a device asks for the one after its own.
    package func raiseRoot(above seen: Int, root: [any Signer]) async throws {
        while true {
            let present = try await signableRoot().root
            guard present.body.version <= seen else { return }
            try await reviseRoot(present, signers: root) { _ in }
        }
    }
}
