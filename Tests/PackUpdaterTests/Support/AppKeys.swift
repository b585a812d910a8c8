import Foundation
import PackFormat
import PackTrust

@testable import PackUpdater

/// The keys of an app and its signed metadata, over a ``TestRegistry``: what a device really trusts.
final class AppKeys {
    let registry: TestRegistry
    let owner: PrivateKey
    let online: PrivateKey
    private(set) var publishers: [PackageID: PrivateKey] = [:]
    private var repository: SignedRepository
    /// The package whose manifests are signed with something that is no digest.
    var spoiled: String?
    var expires = Date().addingTimeInterval(30 * 24 * 3600)

    init(_ registry: TestRegistry, packages: [String]) throws {
        self.registry = registry
        owner = try PrivateKey.generate(.ed25519)
        online = try PrivateKey.generate(.ecdsa)
        var keys: [PackageID: PrivateKey] = [:]
        for package in packages { keys[try PackageID(package)] = try PrivateKey.generate(.ed25519) }
        publishers = keys
        let onlineKey = online.publicKey
        repository = try SignedRepository.create(
            root: [owner], targets: [owner], online: [online],
            expiries: .init(root: .distantFuture, targets: expires, snapshot: expires, timestamp: expires)
        ) { targets in
            for (package, key) in keys {
                try targets.delegate(
                    ViewLayout.role(of: package), to: [key.publicKey], paths: ["manifests/\(package)/*"])
            }
            try targets.delegate(ViewLayout.channelsRole, to: [onlineKey], paths: ["channels/*"])
        }
        try write()
    }

    var root: [UInt8] { repository.root.bytes }

    /// Signs what stands in the registry now.
    /// - Parameter signer: signs the packages' roles instead of their publishers.
    func sign(by signer: PrivateKey? = nil) throws {
        for (package, key) in publishers {
            try sign(
                ViewLayout.role(of: package), folder: "manifests/\(package)", by: signer ?? key)
        }
        try sign(ViewLayout.channelsRole, folder: "channels", by: online)
        try repository.publish(snapshotExpires: expires, timestampExpires: expires, signers: [online])
        try write()
    }

    private func sign(_ role: String, folder: String, by key: PrivateKey) throws {
        var targets: [(String, TargetInfo)] = []
        for name in try Durable.names(in: registry.signed.appending(path: folder)) {
            let data = try Data(contentsOf: registry.signed.appending(path: "\(folder)/\(name)"))
            var info = TargetInfo(of: data)
            if let spoiled, folder == "manifests/\(spoiled)" {
                info = TargetInfo(length: data.count, hashes: FileHashes(sha256: info.hashes.nameDigest.uppercased()))
            }
            targets.append(("\(folder)/\(name)", info))
            try registry.put(
                Array(data), registry.view,
                RepositoryPath.target("\(folder)/\(name)", info: info, consistentSnapshot: true))
        }
        let fill: (inout TargetsMetadata) -> Void = { metadata in
            for (path, info) in targets { metadata.targets[path] = info }
        }
        let document: SignedDocument<TargetsMetadata>
        if let old = repository.delegated[role] {
            document = try old.revised(expires: expires, signers: [key], fill)
        } else {
            var metadata = TargetsMetadata(expires: expires)
            fill(&metadata)
            document = try SignedDocument(unsigned: metadata).signed(by: key)
        }
        var delegated = repository.delegated
        delegated[role] = document
        // An attacker does not ask whether a role may be replaced.
        repository = SignedRepository(
            root: repository.root, targets: repository.targets, delegated: delegated, snapshot: repository.snapshot,
            timestamp: repository.timestamp)
    }

    private func write() throws {
        for (path, bytes) in repository.files { try registry.put(bytes, registry.view, path) }
    }
}
