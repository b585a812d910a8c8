import Foundation
import PackTrust
import Testing

struct StoreTests {
    @Test(arguments: ["timestamp.json", "snapshot.json", "targets.json", "role.json"])
    func `a corrupt local cache costs a download and nothing else`(name: String) async throws {
        for damage in ["", "{", "null", "{\"signed\":{},\"signatures\":[]}", String(repeating: "x", count: 100)] {
            let device = try TrustFixture()
            try device.repository.delegate(to: "role")
            try device.repository.publishNext()
            _ = try await device.targetInfo("x")
            let sound = device.store.files
            device.store.files[name] = Array(damage.utf8)
            _ = try await device.targetInfo("x")
            #expect(device.store.files == sound, "\(name): \(damage)")
        }
    }

    @Test func `stored metadata that was tampered with is not used`() async throws {
        let device = try TrustFixture()
        device.repository.add("a", "A")
        try device.repository.publishNext()
        try await device.refresh()
        let sound = device.store.files
        let text = String(decoding: try #require(sound["targets.json"]), as: UTF8.self)
        device.store.files["targets.json"] = Array(text.replacingOccurrences(of: "\"a\"", with: "\"b\"").utf8)
        #expect(try await device.targetInfo("b") == nil)
        #expect(device.store.files == sound)
    }

    @Test func `the bytes are stored as received`() async throws {
        let device = try TrustFixture(statesHashes: false)
        let text = String(decoding: try #require(device.repository.files["metadata/1.targets.json"]), as: UTF8.self)
        let spaced = Array((" \n" + text.replacingOccurrences(of: ":", with: " :\t", range: nil) + "\n\n").utf8)
        // The expiry has colons inside a string, which are signed; put those back.
        let restored = String(decoding: spaced, as: UTF8.self).replacingOccurrences(
            of: "(T\\d\\d) :\\t(\\d\\d) :\\t(\\d\\dZ)", with: "$1:$2:$3", options: .regularExpression)
        device.repository.files["metadata/1.targets.json"] = Array(restored.utf8)
        try await device.refresh()
        #expect(device.store.files["targets.json"] == Array(restored.utf8))
    }

    @Test func `a crash at any change of a first refresh leaves a store that completes`() async throws {
        for step in 0..<10 {
            let device = try TrustFixture()
            try device.repository.rotateKeys(of: .root)
            try device.repository.delegate(to: "role")
            device.repository.add("x", "X", to: "role")
            try device.repository.publishNext()
            device.store.crash(after: step)
            _ = try? await device.targetInfo("x")
            device.store.crash(after: nil)
            #expect(try await device.targetInfo("x") != nil, "crash after \(step) changes")
            #expect(try device.versions() == [2, 2, 2, 2])
        }
    }

    @Test func `a crash at any change of an update leaves a store that completes`() async throws {
        for step in 0..<10 {
            let device = try TrustFixture()
            try await device.refresh()
            try device.repository.rotateKeys(of: .targets)
            try device.repository.publishNext()
            device.store.crash(after: step)
            _ = try? await device.refresh()
            device.store.crash(after: nil)
            try await device.refresh()
            #expect(try device.versions() == [2, 2, 2, 2], "crash after \(step) changes")
        }
    }

    @Test func `an idle refresh writes nothing`() async throws {
        let device = try TrustFixture()
        try await device.refresh()
        let changes = device.store.changes
        try await device.refresh()
        #expect(device.store.changes == changes)
    }
}

struct FolderTrustStoreTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("store-\(UUID().uuidString)")

    private var names: [String] {
        ((try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    @Test func `bytes come back, replaced and removed, and nothing else is left`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try FolderTrustStore(folder: folder)
        #expect(try store.read("root.json") == nil)
        try store.write([1, 2, 3], to: "root.json")
        try store.write([4], to: "root.json")
        try store.write([], to: "root_history/1.root.json")
        #expect(try store.read("root.json") == [4])
        #expect(try store.read("root_history/1.root.json") == [])
        #expect(names == ["root.json", "root_history", "root_history/1.root.json"])
        try store.remove("root.json")
        try store.remove("root.json")
        #expect(try store.read("root.json") == nil)
    }

    @Test func `what a killed process left half-written is cleared away and never read`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FolderTrustStore(folder: folder).write([1], to: "root.json")
        let gone = Process()
        gone.executableURL = URL(fileURLWithPath: "/bin/true")
        try gone.run()
        gone.waitUntilExit()
        let dead = folder.appendingPathComponent(".tmp-\(gone.processIdentifier)-X")
        let alive = folder.appendingPathComponent(".tmp-\(ProcessInfo.processInfo.processIdentifier)-X")
        try Data([9]).write(to: dead)
        try Data([9]).write(to: alive)
        let store = try FolderTrustStore(folder: folder)
        #expect(try store.read("root.json") == [1])
        #expect(names == [alive.lastPathComponent, "root.json"])
    }

    @Test func `a folder that cannot be made is an error with its path`() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("file-\(UUID().uuidString)")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect {
            try FolderTrustStore(folder: file.appendingPathComponent("store"))
        } throws: { error in
            "\(error)".contains(file.path)
        }
    }

    @Test func `a full device is an error and the old bytes stay`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try FolderTrustStore(folder: folder)
        try store.write([1], to: "root.json")
        // A folder in the place of a file is the one write fault that root cannot step over.
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("snapshot.json/x"), withIntermediateDirectories: true)
        #expect(throws: TrustError.self) { try store.write([2], to: "snapshot.json") }
        #expect(try store.read("root.json") == [1])
        #expect(names.contains { $0.hasPrefix(".tmp-") } == false)
    }
}
