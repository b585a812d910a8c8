import AttackSupport
import Foundation
import PackJSON
import PackTrust
import Testing

/// The registry belongs to the attacker: its disk, its database, its online key, an upload token.
struct RegistryAttackTests {
    private static func publisher(_ tool: Tool, _ name: String = "publisher") throws -> PrivateKey {
        try PrivateKey(pem: String(decoding: tool.read(".packtool/keys/\(name).pem"), as: UTF8.self))
    }

    /// What somebody else's project, with other keys, publishes under the same name.
    private static func stranger() async throws -> AttackScene { try await AttackScene(.stranger) }

    /// The attacker copies a whole version, rows and objects, from a registry of his own, offers it, and lets the registry
    /// sign that with its online key.
    @Test func `a version that was written into the database is not installed`() async throws {
        let scene = try await AttackScene()
        let evil = try await Self.stranger()
        let evilRole = try await OnlineThief(evil, mirror: evil.mirror()).newest(
            "package.shop", as: TargetsMetadata.self)
        let current = try await OnlineThief(scene, mirror: scene.mirror()).newest(
            "package.shop", as: TargetsMetadata.self)
        let planted = evilRole.body.withVersion(current.body.version + 1)
        let signed = try SignedDocument(unsigned: planted).signed(by: Self.publisher(evil.tool))
        try scene.tool.write(["role.json": String(decoding: signed.bytes, as: UTF8.self)])
        try await scene.changeView("cp -rn '\(evil.view().path)/objects' .")
        try await Self.plant("role.json", version: planted.version, besides: "6.6.6", of: evil, in: scene)
        // His registry offers it like any other, and signs all that it can sign.
        try await scene.tool.run("rollback", "shop", "--channel", "beta", "--to", "6.6.6").expectSuccess()
        try await scene.expectRefusal(
            from: scene.serve(), saying: ["package.shop is signed by 0 of the keys that may sign it; 1 is needed"])
    }

    /// Writes a version's rows of another registry, and a role, into a registry's database.
    private static func plant(
        _ role: String, version: Int, besides known: String, of evil: AttackScene, in scene: AttackScene
    ) async throws {
        let columns = "package, version, manifest, published, publishedBy"
        let copy = """
            python3 - <<'END'
            import sqlite3
            db = sqlite3.connect('.packtool/registry/registry.sqlite')
            db.execute("ATTACH '\(evil.tool.folder.path)/.packtool/registry/registry.sqlite' AS evil")
            db.execute("INSERT OR IGNORE INTO manifest SELECT * FROM evil.manifest WHERE version = '\(known)'")
            db.execute("INSERT INTO version (\(columns)) SELECT \(columns) FROM evil.version WHERE version = '\(known)'")
            db.execute("INSERT INTO metadata VALUES ('package.shop', \(version), ?)", (open('\(role)', 'rb').read(),))
            db.commit()
            END
            """
        let copyInDatabase = """
            export PGOPTIONS='-c search_path=packtool'
            copy() {
                psql -qX '\(evil.tool.environment["PACKTOOL_REGISTRY"] ?? "")' -c "COPY (SELECT $2 FROM $1 WHERE version = '\(known)') TO STDOUT" |
                    psql -qX "$PACKTOOL_REGISTRY" -v ON_ERROR_STOP=1 -c "COPY $1 $3 FROM STDIN"
            }
            copy manifest '*' ''
            copy version '\(columns)' '(\(columns))'
            psql -qX "$PACKTOOL_REGISTRY" -v ON_ERROR_STOP=1 \\
                -c "INSERT INTO metadata VALUES ('package.shop', \(version), decode('$(od -An -v -tx1 \(role) | tr -d ' \\n')', 'hex'))"
            """
        try await scene.tool.shell(Tool.isOnStorage ? copyInDatabase : copy).expectSuccess()
    }

    @Test(arguments: ["objects", "targets/manifests", "patches"])
    func `files that were changed on the registry's disk are not installed`(folder: String) async throws {
        let scene = try await AttackScene(.second)
        // The patches too, for a device that gets them whole needs nothing else; were they gone, the server made them again.
        try await scene.changeView(
            """
            find \(folder) patches -type f | sort -u | while read -r file; do
                chmod u+w "$file"; head -c "$(stat -c %s "$file")" /dev/zero | tr '\\0' 'x' > "$file.new"; mv "$file.new" "$file"
            done
            """)
        let url = try await scene.serve()
        if folder == "targets/manifests", Tool.isOnStorage {
            // The rows have manifests too: a server with a bucket answers from them, or not at all.
            let outcome = try await scene.update(from: url)
            let version = try await scene.runningVersion()
            #expect(version == (outcome.exitCode == 0 ? "1.1.0" : "1.0.0"), "\(outcome)")
            let page = try scene.tool.read("device/unzipFiles/shop/\(version)/index.html")
            #expect(String(decoding: page, as: UTF8.self) == AttackScene.page(version))
        } else if folder == "patches" {
            // Only derived: the device finds another way to the bytes that were signed.
            try await scene.expectUpdate(from: url, to: "1.1.0")
        } else {
            try await scene.expectRefusal(from: url, saying: ["refused: "])
        }
    }

    @Test func `the publisher of one package cannot publish another`() async throws {
        let registry = try await LiveRegistry()
        let owner = registry.tool
        try await registry.publish("shop", "1.0.0", files: ["index.html": "shop"])
        try await registry.publish("blog", "1.0.0", files: ["index.html": "blog"])
        // A team of its own, with its own key, for the package `blog` only.
        let team = try Tool()
        try await team.run("keys", "generate", "publisher").expectSuccess()
        let publicKey = try PrivateKey(pem: String(decoding: team.read(".packtool/keys/publisher.pem"), as: UTF8.self))
            .publicKey
        try await owner.run("keys", "delegate", "blog", "--key", "ed25519:\(publicKey.value)").expectSuccess()
        try team.write([".packtool/root.json": String(decoding: owner.read(".packtool/root.json"), as: UTF8.self)])
        try team.write(["dist/index.html": "evil"])
        // Even a token that may do everything does not help.
        let environment = [
            "PACKTOOL_TOKEN": try await registry.token("--publish", "--release"), "PACKTOOL_REGISTRY": registry.url,
        ]
        for (package, code) in [("blog", 0), ("shop", 1)] {
            try await team.run("build", "dist", "--package", package, "--package-version", "2.0.0").expectSuccess()
            let published = try await team.run(
                ["publish", "packages/\(package)-2.0.0.zip", "--channel", "beta"], environment: environment)
            #expect(published.exitCode == Int32(code), "\(published)")
            if code == 1 { #expect(published.standardError.contains("may not sign shop"), "\(published)") }
        }
    }

    @Test func `a role signed with the key of another package is refused by the device`() async throws {
        let scene = try await AttackScene()
        let other = try PrivateKey.generate(.ed25519)
        try await scene.run("keys", "delegate", "blog", "--key", "ed25519:\(other.publicKey.value)")
        let thief = try OnlineThief(scene, mirror: try await scene.mirror())
        let evil = try await Self.stranger()
        try await Self.copyContent(of: evil, to: thief.mirror)
        let theirs = try await OnlineThief(evil, mirror: evil.mirror())
        let current = try thief.newest("package.shop", as: TargetsMetadata.self)
        var role = try theirs.newest("package.shop", as: TargetsMetadata.self).body
        role.version = current.body.version + 1
        try thief.plant(SignedDocument(unsigned: role).signed(by: other), as: "package.shop")
        try thief.offer(Self.channelFile(of: theirs, app: thief.app(in: "beta")), on: "beta")
        try await scene.expectRefusal(from: thief.mirror.url, saying: ["package.shop is signed by 0 of the keys"])
    }

    @Test func `a withdrawn version that a channel still offers is not installed`() async throws {
        let scene = try await AttackScene(.second)
        let offering = try Self.channelFile(of: OnlineThief(scene, mirror: try await scene.mirror()))
        try await scene.run("withdraw", "shop@1.1.0", "--reason", "it is broken", "--yes")
        let thief = try OnlineThief(scene, mirror: try await scene.mirror())
        try thief.offer(offering, on: "beta")
        try await scene.expectRefusal(from: thief.mirror.url, saying: ["1.1.0", "withdrew"])
    }

    @Test func `an older role with a withdrawn version is refused although the online key vouches for it`() async throws
    {
        let scene = try await AttackScene(.second)
        let before = try OnlineThief(scene, mirror: try await scene.mirror())
        let old = try before.newest("package.shop", as: TargetsMetadata.self)
        try await scene.run("withdraw", "shop@1.1.0", "--reason", "it is broken", "--yes")
        // The device has seen the withdrawal.
        _ = try await scene.update(from: scene.serve())
        let thief = try OnlineThief(scene, mirror: try await scene.mirror())
        try thief.seal { $0[role: "package.shop"] = MetaFile(version: old.body.version) }
        try await scene.expectRefusal(from: thief.mirror.url, saying: ["package.shop.json would go back"])
    }

    @Test func `a withdrawn version does not come to a new device through an older role`() async throws {
        let scene = try await AttackScene(.second)
        let before = try OnlineThief(scene, mirror: try await scene.mirror())
        let old = try before.newest("package.shop", as: TargetsMetadata.self).body.version
        let oldTargets = try before.newest("targets", as: TargetsMetadata.self).body.version
        let offering = try Self.channelFile(of: before)
        let withdrawn = try await scene.run("withdraw", "shop@1.1.0", "--reason", "it is broken", "--yes", "--json")
        #expect(try withdrawn.json().object().integer("minimum") == old + 1)
        let thief = try OnlineThief(scene, mirror: try await scene.mirror())
        try thief.offer(offering, on: "beta")
        try thief.seal { $0[role: "package.shop"] = MetaFile(version: old) }
        func install(into store: String, root: String) async throws -> Outcome {
            try await scene.tool.run([
                "client", "update", "--store", store, "--channel", "beta", "--timeout", "1", "--registry",
                thief.mirror.url, "--root", root,
            ])
        }
        let refused = try await install(into: "new", root: ".packtool/root.json")
        #expect(refused.exitCode == 1, "\(refused)")
        #expect(
            "\(refused)".contains(
                "package.shop has version \(old), and the app's owner signed that only version \(old + 1)"),
            "\(refused)")
        #expect(
            !FileManager.default.fileExists(atPath: scene.tool.folder.appendingPathComponent("new/unzipFiles").path))

        // What remains, as THREATS.md says it: the whole of what the owner and the publisher had signed before.
        try thief.seal { $0[role: "targets"] = MetaFile(version: oldTargets) }
        try await install(into: "newer", root: ".packtool/root.json").expectSuccess()
        // And what ends that: another owner's key, in the root that the next release of the app embeds.
        try await scene.run("keys", "rotate", "owner")
        let roots = try scene.tool.listing(".packtool/registry/view/metadata").keys.filter {
            $0.hasSuffix(".root.json")
        }
        let newest = try #require(
            roots.max { (Int($0.prefix { $0 != "." }) ?? 0) < (Int($1.prefix { $0 != "." }) ?? 0) })
        let ended = try await install(into: "newest", root: ".packtool/registry/view/metadata/\(newest)")
        #expect(ended.exitCode == 1 && "\(ended)".contains("targets is signed by 0 of the keys"), "\(ended)")
    }

    @Test func `without the owner's key a withdrawal says what remains, and the owner ends it`() async throws {
        let scene = try await AttackScene(.second)
        try await scene.tool.shell("mv .packtool/keys/owner.pem .").expectSuccess()
        let withdrawn = try await scene.run("withdraw", "shop@1.1.0", "--reason", "it is broken", "--yes")
        #expect(withdrawn.standardError.contains("packtool keys newest shop"), "\(withdrawn)")
        let refused = try await scene.tool.run("keys", "newest", "shop")
        #expect(refused.exitCode == 1 && refused.standardError.contains("owner's key"), "\(refused)")
        try await scene.tool.shell("mv owner.pem .packtool/keys").expectSuccess()
        let done = try await scene.run("keys", "newest", "shop")
        #expect(done.standardOutput == "of shop only version 3 of its metadata and later ones count\n", "\(done)")
        #expect(try await scene.tool.run("keys", "newest", "shop").exitCode == 2)
        // Publishing goes on, and so do devices.
        try await scene.publish("1.2.0")
        try await scene.expectUpdate(from: ".packtool/registry", to: "1.2.0")
    }

    @Test func `versions that a thief drove up are forgotten with the key that signed them`() async throws {
        let scene = try await AttackScene()
        let thief = try OnlineThief(scene, mirror: try await scene.mirror())
        try thief.seal(jump: 1_000_000)
        // Nothing new is in it, and all is signed: the device cannot know.
        _ = try await scene.update(from: thief.mirror.url)
        try await scene.publish("1.1.0")
        let url = try await scene.serve()
        try await scene.expectRefusal(from: url, saying: ["timestamp would go back from version 100"])
        try await scene.run("keys", "rotate", "online")
        try await scene.expectUpdate(from: url, to: "1.1.0")
        // The old key no longer signs anything.
        try await scene.expectRefusal(from: thief.mirror.url, saying: ["timestamp is signed by 0 of the keys"])
    }

    @Test func `a device that was offline follows a root that was rotated several times`() async throws {
        let scene = try await AttackScene()
        for _ in 0..<3 { try await scene.run("keys", "rotate", "root") }
        try await scene.run("keys", "rotate", "owner")
        try await scene.run("keys", "rotate", "online")
        try await scene.run("keys", "rotate", "publisher")
        for _ in 0..<2 { try await scene.run("keys", "rotate", "root") }
        try await scene.publish("1.1.0")
        let url = try await scene.serve()
        try await scene.expectUpdate(from: url, to: "1.1.0")
        // The chain is what makes it: without one link nothing newer is believed.
        let late = try await scene.mirror()
        try FileManager.default.removeItem(at: late.folder.appendingPathComponent("metadata/3.root.json"))
        try await scene.tool.shell("rm -rf device/trust device/cache").expectSuccess()
        let start = AttackScene.update(from: late.url) + ["--root", "first-root.json"]
        try scene.tool.write([
            "first-root.json": String(decoding: try late.read("metadata/1.root.json"), as: UTF8.self)
        ])
        let refused = try await scene.tool.run(start)
        #expect(refused.exitCode == 1, "\(refused)")
        #expect(refused.standardError.contains("is signed by 0 of the keys"), "\(refused)")
        #expect(try await scene.runningVersion() == "1.1.0")
    }

    // MARK: What the attacker copies

    private static func copyContent(of scene: AttackScene, to mirror: Mirror) async throws {
        try await scene.tool.shell(
            "for part in objects targets/manifests patches; do cp -rn '\(scene.view().path)'/$part/. "
                + "'\(mirror.folder.path)'/$part/; done"
        ).expectSuccess()
    }

    /// What the channel beta offers in a mirror.
    private static func channelFile(of thief: OnlineThief, app: String? = nil) throws -> [UInt8] {
        let bytes = try thief.channelFile("beta")
        guard let app else { return bytes }
        var file = try JSONValue(parsing: bytes).object()
        file["app"] = .string(app)
        return JSONValue.object(file).canonicalBytes
    }
}

extension TargetsMetadata {
    fileprivate func withVersion(_ version: Int) -> TargetsMetadata {
        var copy = self
        copy.version = version
        return copy
    }
}

extension Outcome {
    @discardableResult
    func expectSuccess(sourceLocation: SourceLocation = #_sourceLocation) throws -> Outcome {
        try #require(exitCode == 0, "\(self)", sourceLocation: sourceLocation)
        return self
    }
}
