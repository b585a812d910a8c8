import AttackSupport
import Foundation
import PackTrust
import Testing

/// The network, or a mirror, belongs to the attacker; he has no key.
struct MirrorAttackTests {

    @Test func `an old timestamp that is replayed is refused`() async throws {
        let scene = try await AttackScene()
        let old = try await scene.mirror()
        try await scene.publish("1.1.0")
        try await scene.expectUpdate(from: scene.serve(), to: "1.1.0")
        try await scene.expectRefusal(from: old.url, saying: ["check-failed", "timestamp would go back"])
    }

    @Test func `a frozen mirror is no longer believed once its metadata expired`() async throws {
        let scene = try await AttackScene(making: "-40 days")
        let frozen = try await scene.mirror()
        try await scene.expectRefusal(from: frozen.url, saying: ["check-failed", "timestamp expired at"])
        // The registry itself signs anew by itself, and the device goes on.
        try await scene.publish("1.1.0")
        try await scene.expectUpdate(from: scene.serve(), to: "1.1.0")
    }

    @Test func `a snapshot of another moment is refused`() async throws {
        let scene = try await AttackScene(.second)
        let mixed = try await scene.mirror()
        let snapshots = mixed.paths(below: "metadata").filter { $0.hasSuffix(".snapshot.json") }
            .sorted { $0.count == $1.count ? $0 < $1 : $0.count < $1.count }
        let (newest, older) = try (#require(snapshots.last), #require(snapshots.dropLast().last))
        try mixed.write(mixed.read(older), to: newest)
        try await scene.expectRefusal(from: mixed.url, saying: ["snapshot is not the file that was signed"])
    }

    /// What changed last comes in one file, which saves requests and decides nothing.
    @Test(arguments: ["another moment's", "nonsense", "empty", "endless"])
    func `recent metadata that lies costs requests, and the update goes through`(lie: String) async throws {
        let scene = try await AttackScene(.second)
        let mode = lie == "endless" ? "endless:.recent.zst" : "plain"
        let mirror = try await scene.mirror(mode, hasRecent: true)
        let files = mirror.paths(below: "metadata").filter { $0.hasSuffix(".recent.zst") }
            .sorted { $0.count == $1.count ? $0 < $1 : $0.count < $1.count }
        let (newest, oldest) = try (#require(files.last), #require(files.first))
        switch lie {
        case "another moment's": try mirror.write(mirror.read(oldest), to: newest)
        case "nonsense": try mirror.write(Array("nonsense".utf8), to: newest)
        case "empty": try mirror.write([], to: newest)
        default: break
        }
        try await scene.expectUpdate(from: mirror.url, to: "1.1.0")
    }

    /// Metadata, a manifest and content: wherever the attacker does not stop, or nearly stops, sending.
    @Test(arguments: [
        "endless:metadata/timestamp.json", "endless:package.shop", "endless:/manifests/", "endless:/channels/",
    ])
    func `an endless body ends the check at its limit`(mode: String) async throws {
        let scene = try await AttackScene(.second)
        let mirror = try await scene.mirror(mode)
        try FileManager.default.removeItem(at: mirror.folder.appendingPathComponent("patches"))
        try await scene.expectRefusal(from: mirror.url, saying: ["is longer than"])
    }

    @Test(arguments: ["trickle:metadata/timestamp.json", "silent:.snapshot.json"])
    func `a slow body is given up`(mode: String) async throws {
        let scene = try await AttackScene(.second)
        let why = mode.hasPrefix("silent") ? "nothing came for" : "slower than"
        try await scene.expectRefusal(from: scene.mirror(mode).url, saying: [why])
    }

    @Test func `content without end is not installed, whichever way it comes`() async throws {
        let scene = try await AttackScene(.second)
        let mirror = try await scene.mirror("endless:/patches/")
        for path in mirror.paths(below: "objects") { try mirror.write(Array("evil".utf8), to: path) }
        try await scene.expectRefusal(from: mirror.url, saying: ["fell-back", "is longer than", "refused"])
    }

    @Test func `a swapped object is refused, wherever it comes from`() async throws {
        let scene = try await AttackScene(.second)
        let mirror = try await scene.mirror()
        try FileManager.default.removeItem(at: mirror.folder.appendingPathComponent("patches"))
        for path in mirror.paths(below: "objects") {
            // Of the signed size, so that only the digest tells.
            try mirror.write([UInt8](repeating: UInt8(ascii: "x"), count: mirror.read(path).count), to: path)
        }
        try await scene.expectRefusal(from: mirror.url, saying: ["refused"])
    }

    @Test func `a swapped patch costs a detour and changes no byte`() async throws {
        let scene = try await AttackScene(.second)
        try await scene.publish("1.2.0")
        let mirror = try await scene.mirror()
        let patches = mirror.paths(below: "patches")
        #expect(patches.count >= 4)
        // Each is a sound download, only of another version.
        let other = { (path: String) in
            patches.first { $0.hasSuffix("full.zst") && $0.dropLast(8) != path.prefix($0.count - 8) }
        }
        let bodies = try patches.map { try mirror.read(#require(other($0))) }
        for (path, body) in zip(patches, bodies) { try mirror.write(body, to: path) }
        try await scene.expectUpdate(from: mirror.url, to: "1.2.0")
        let said = try await scene.explanations().joined(separator: "\n")
        #expect(said.contains("fell-back"), "\(said)")
    }

    @Test(arguments: ["targets/manifests", "targets/channels"])
    func `a swapped manifest or channel file is refused`(folder: String) async throws {
        let scene = try await AttackScene(.second)
        let mirror = try await scene.mirror()
        try FileManager.default.removeItem(at: mirror.folder.appendingPathComponent("patches"))
        for path in mirror.paths(below: folder) {
            let text = String(decoding: try mirror.read(path), as: UTF8.self)
            try mirror.write(Array(text.replacingOccurrences(of: "1.1.0", with: "1.1.1").utf8), to: path)
        }
        try await scene.expectRefusal(from: mirror.url, saying: ["is not the file that was signed"])
    }
}
