import AttackSupport
import Foundation
import PackFormat
import PackPatch
import Testing

@testable import PackUpdater

/// Whole devices that get damaged update files: each ends with the version that was signed, and with nothing else.
struct UpdateFileFuzzTests {
    private let registry: TestRegistry
    /// Has the first version.
    private let device: TestDevice
    private let one: VersionID
    private let two: VersionID
    private let pages: [String: String]

    init() async throws {
        registry = try TestRegistry()
        device = try TestDevice(registry)
        let library = try registry.publish("common", "1.0.0", ["lib.js": "library"], entry: nil)
        one = try registry.publish(
            "checkout", "1.0.0",
            [
                "index.html": "one", "kept.js": "kept", "moved.js": "moved", "gone/gone.css": "gone",
                "assets/a-1234567a.js": FallbackTests.big, "b-ABCDEFG2.js": "second", "lib.js": "library",
            ], shared: ["common": library], from: ["lib.js": "common"])
        try registry.release("checkout", one, release: "r1")
        try await device.updater().update(.all)
        let names = (0..<4).map { "part\($0 * 37)-Zy9_aB3\($0).js" }
        var pages = [
            "index.html": "two", "kept.js": "kept", "new/moved.js": "moved", "lib.js": "library",
            "assets/a-89abcdef.js": FallbackTests.big + names.map { "import\"./\($0)\"" }.joined(),
            "b-ABCDEFG3.js": "second", "twice/1.txt": "twice", "twice/2.txt": "twice",
        ]
        for (index, name) in names.enumerated() { pages["assets/\(name)"] = "part \(index)" }
        self.pages = pages
        two = try registry.publish(
            "checkout", "1.1.0", pages, shared: ["common": library], from: ["lib.js": "common"])
        try registry.patch(from: one, to: two, manifest: true, update: true)
        try registry.release("checkout", two, release: "r2")
    }

    /// A device that has the first version, and updates from a registry whose update file and patch are these.
    private func updated(file: [UInt8], patch: [UInt8]) async throws -> TestDevice {
        let copy = try TestDevice(registry)
        try FileManager.default.copyItem(at: device.store, to: copy.store)
        let (path, patchPath) = (
            ViewPath.updateFile(from: one.manifest, to: two.manifest).description,
            ViewPath.patch(from: one.manifest, to: two.manifest).description
        )
        let transport = WatchedTransport(FolderTransport(folder: registry.view)) { asked, bytes in
            switch asked {
            case path: file
            case patchPath: patch
            default: bytes
            }
        }
        let report = try await copy.updater(transport: transport).update(.all)
        #expect(report.entries.map(\.outcome) == [.activated(two.version)])
        return copy
    }

    private func bytes(_ path: ViewPath) throws -> [UInt8] {
        Array(try Data(contentsOf: registry.view.appending(path: path.description)))
    }

    @Test func `no damage to an update file makes a device install or keep what was not signed`() async throws {
        var run = FuzzRun(seconds: 2)
        let sound = try bytes(.updateFile(from: one.manifest, to: two.manifest))
        let honest = try UpdateFile(parsing: sound)
        let (skeleton, patch) = (Array(honest.skeleton), Array(honest.patch))
        let hostile = try HostileSkeleton(base: #require(registry.manifests[one]))
        let first = try await updated(file: sound, patch: patch)
        #expect(try first.events(.fellBack).isEmpty)
        let wanted = try first.listing().filter { $0.hasPrefix("objects/") }
        var refused = 0
        while run.goesOn() {
            let file: [UInt8]
            var besides = patch
            switch run.count % 4 {
            case 0: file = run.damage(sound, with: patch)
            case 1: file = try UpdateFile.bytes(skeleton: hostile.bent(skeleton, &run.random), patch: patch)
            case 2: file = UpdateFile.bytes(skeleton: skeleton, patch: run.damage(patch, with: skeleton))
            default:
                // The device fetches the patch by itself.
                file = try UpdateFile.bytes(skeleton: hostile.bent(skeleton, &run.random), patch: [])
                if Bool.random(using: &run.random) { besides = run.damage(patch, with: skeleton) }
            }
            let copy = try await updated(file: file, patch: besides)
            if try !copy.events(.fellBack).isEmpty { refused += 1 }
            let listing = try copy.listing()
            #expect(listing.filter { $0.hasPrefix("objects/") } == wanted)
            #expect(listing.filter { $0.hasPrefix("downloads/") }.isEmpty)
            let session = try #require(try await copy.updater().openInstalled(PackageID("checkout")))
            for (path, text) in pages {
                let file = try #require(try session.file(at: PackagePath(path)), "\(path)")
                #expect(try String(contentsOf: file, encoding: .utf8) == text, "\(path)")
            }
        }
        print("fuzzed \(run.count) update files, \(refused) refused, \(run.ending)")
        #expect(refused > 0)
    }
}
