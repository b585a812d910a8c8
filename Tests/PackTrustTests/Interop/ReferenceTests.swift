import Foundation
import PackTrust
import TestSupport
import Testing

/// PyPI's tuf 7.0.1 as client of our repositories, and as the repository of our client.
struct ReferenceTests {
    private func write(_ files: [(path: String, bytes: [UInt8])], below folder: URL) throws {
        for file in files {
            let url = folder.appendingPathComponent(file.path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(file.bytes).write(to: url)
        }
    }

    @Test(arguments: KeyScheme.allCases)
    func `the reference client downloads from a repository that we signed`(scheme: KeyScheme) throws {
        let temporary = try TemporaryFolder("tuf")
        let folder = temporary.url.resolvingSymlinksInPath()
        // It is removed with its last user, not after its last use.
        defer { withExtendedLifetime(temporary) {} }
        let served = folder.appendingPathComponent("served")
        let later = Date() + 10 * RepositoryModel.day
        let owners = try (0..<2).map { _ in try PrivateKey.generate(scheme) }
        let publisher = try PrivateKey.generate(scheme)
        let online = try PrivateKey.generate(scheme)
        let manifest = Array("manifest \u{E9}".utf8)
        var repository = try SignedRepository.create(
            root: owners, rootThreshold: 2, targets: owners, targetsThreshold: 2, online: [online],
            expiries: .init(root: later, targets: later, snapshot: later, timestamp: later)
        ) { targets in
            try targets.delegate("package.app", to: [publisher.publicKey], paths: ["manifests/app/*"])
            // A field of ours, which the reference has to keep and to pass over.
            try targets.requireVersion(1, of: "package.app")
        }
        let firstRoot = folder.appendingPathComponent("root.json")
        try Data(repository.root.bytes).write(to: firstRoot)
        var role = TargetsMetadata(expires: later)
        role.targets["manifests/app/1.0.0.json"] = TargetInfo(of: manifest)
        try repository.replaceRole("package.app", with: try SignedDocument(unsigned: role).signed(by: publisher))
        try repository.publish(snapshotExpires: later, timestampExpires: later, signers: [online])
        try write(repository.files, below: served)
        // The keys of the root change before the client ever came.
        let newOwner = try PrivateKey.generate(scheme)
        try repository.replaceRoot(
            try repository.root.revised(signers: owners + [newOwner]) {
                $0.setKeys([newOwner.publicKey], for: .root)
            })
        try write(repository.files, below: served)
        let target = RepositoryPath.target(
            "manifests/app/1.0.0.json", info: TargetInfo(of: manifest), consistentSnapshot: true)
        try write([(target, manifest)], below: served)
        let server = try LocalServer(serving: served)
        let result = try PythonTools.run(
            "tuf_reference.py", "download", server.url, firstRoot.path, folder.appendingPathComponent("client").path,
            "manifests/app/1.0.0.json")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output == "manifest \u{E9}")
    }

    @Test(arguments: KeyScheme.allCases)
    func `our client downloads from a repository that the reference signed, and follows its new keys`(
        scheme: KeyScheme
    ) throws {
        let temporary = try TemporaryFolder("tuf")
        let folder = temporary.url.resolvingSymlinksInPath()
        // It is removed with its last user, not after its last use.
        defer { withExtendedLifetime(temporary) {} }
        let served = folder.appendingPathComponent("served")
        try FileManager.default.createDirectory(at: served, withIntermediateDirectories: true)
        let made = try PythonTools.run("tuf_reference.py", "make", served.path, scheme.rawValue)
        try #require(made.status == 0, "\(made.errors)")
        let server = try LocalServer(serving: served)
        let client = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("tuf-client")
        let metadata = folder.appendingPathComponent("metadata").path
        let downloads = folder.appendingPathComponent("downloads")
        let root = served.appendingPathComponent("metadata/1.root.json").path
        #expect(try Subprocess.run(client, ["--metadata-dir", metadata, "init", root]).status == 0)
        for version in 1...2 {
            let result = try Subprocess.run(
                client,
                [
                    "--metadata-url", "\(server.url)/metadata", "--metadata-dir", metadata, "--target-name", "top.txt",
                    "--target-name", "manifests/app/1.0.0.json", "--target-dir", downloads.path, "--target-base-url",
                    "\(server.url)/targets", "download",
                ])
            #expect(result.status == 0, "\(result.errors)")
            let contents = try FileManager.default.contentsOfDirectory(atPath: downloads.path).map {
                try String(contentsOf: downloads.appendingPathComponent($0), encoding: .utf8)
            }
            #expect(contents.sorted() == ["manifest \(version)", "top \(version)"])
            if version == 1 {
                let updated = try PythonTools.run("tuf_reference.py", "update", served.path, scheme.rawValue)
                try #require(updated.status == 0, "\(updated.errors)")
            }
        }
    }
}
