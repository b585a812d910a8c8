import AttackSupport
import Foundation
import PackFormat
import PackPatch
import Testing

@testable import PackUpdater

/// Updates of one request: the manifest's skeleton and the patch in one file.
struct UpdateFileTests {
    let registry: TestRegistry
    let device: TestDevice
    let one: VersionID

    init() async throws {
        registry = try TestRegistry()
        device = try TestDevice(registry)
        one = try registry.publish(
            "checkout", "1.0.0",
            ["index.html": "one", "app-12ab34cd.js": FallbackTests.big, "kept.js": "kept"])
        try registry.release("checkout", one, release: "r1")
        try await device.updater().update(.all)
    }

    private func publishNext(_ text: String = "more", requires: String? = nil) throws -> VersionID {
        let two = try registry.publish(
            "checkout", "1.1.0",
            ["index.html": "two", "app-98fe76dc.js": FallbackTests.big + text, "kept.js": "kept"], requires: requires)
        try registry.patch(from: one, to: two, manifest: true, update: true)
        try registry.release("checkout", two, release: "r2")
        return two
    }

    private func update(
        _ rewrite: @escaping @Sendable (String, [UInt8]) throws -> [UInt8]? = { $1 }
    ) async throws -> [String] {
        let transport = WatchedTransport(FolderTransport(folder: registry.view), rewrite: rewrite)
        _ = try await device.updater(transport: transport).update(.all)
        return await transport.paths
    }

    private func expectTheNextVersion(_ text: String = "more") async throws {
        #expect(try await device.page("checkout") == "two")
        #expect(try await device.page("checkout", "app-98fe76dc.js") == FallbackTests.big + text)
        #expect(try await device.page("checkout", "kept.js") == "kept")
    }

    @Test func `a small update is one request`() async throws {
        let two = try publishNext()
        #expect(try await update() == [ViewPath.updateFile(from: one.manifest, to: two.manifest).description])
        try await expectTheNextVersion()
        #expect(try device.events(.fellBack).isEmpty)
        #expect(try device.listing().filter { $0.hasPrefix("downloads/") }.isEmpty)
    }

    @Test func `a large patch comes by its own file, and the manifest by its skeleton`() async throws {
        var random = SystemRandomNumberGenerator()
        let noise = (0..<20_000).map { _ in String(UInt64.random(in: 0...UInt64.max, using: &random)) }.joined()
        let two = try publishNext(noise)
        let transport = WatchedTransport(FolderTransport(folder: registry.view))
        let updater = try device.updater(transport: transport)
        let events = updater.updateEvents()
        _ = try await updater.update(.all)
        let patch = ViewPath.patch(from: one.manifest, to: two.manifest).description
        #expect(
            await transport.paths == [ViewPath.updateFile(from: one.manifest, to: two.manifest).description, patch])
        try await expectTheNextVersion(noise)
        // And the app sees it come.
        var progress: [UpdateProgress] = []
        for await event in events {
            if case .progress(let step) = event { progress.append(step) }
            if case .finished = event { break }
        }
        #expect(progress.map(\.phase).contains(.unpacking))
        let downloaded = try #require(progress.last { $0.phase == .downloading })
        #expect(downloaded.received == Durable.size(of: registry.view.appending(path: patch)))
    }

    @Test func `a registry without update files costs one request in vain`() async throws {
        let two = try publishNext()
        let file = ViewPath.updateFile(from: one.manifest, to: two.manifest).description
        let paths = try await update { path, bytes in path == file ? nil : bytes }
        #expect(
            paths == [
                file, ViewPath.manifestPatch(from: one.manifest, to: two.manifest).description,
                ViewPath.patch(from: one.manifest, to: two.manifest).description,
            ])
        try await expectTheNextVersion()
    }

    /// Each lie of a mirror that has no key.
    enum Lie: CaseIterable, CustomTestStringConvertible {
        case flipped, cut, empty, newerFormat, otherRelease, otherPatch, skeletonOnly, noise
        case largeFile, largeSum, manyFiles, otherPackage, otherPackageFound

        /// What the device says of it.
        var reason: String {
            switch self {
            case .flipped: "it refers to something that does not exist"
            case .cut, .empty: "ends early"
            case .otherPatch, .skeletonOnly: "bytes where the manifest lists"
            case .noise: "a number is out of range"
            case .newerFormat: "format"
            case .otherRelease: "does not give the manifest"
            case .largeFile, .largeSum: "that a patch can work on"
            case .manyFiles: "it is longer than is signed"
            case .otherPackage, .otherPackageFound: "../other/"
            }
        }

        var testDescription: String { "\(self)" }
    }

    @Test(arguments: Lie.allCases)
    func `a lying update file costs requests, and nothing of it is kept`(lie: Lie) async throws {
        let two = try publishNext()
        let evil = try registry.publish(
            "checkout", "1.1.1", ["index.html": "evil", "app-98fe76dc.js": "evil", "kept.js": "kept"])
        try registry.patch(from: one, to: evil, manifest: true, update: true)
        let other = [UInt8](
            try Data(
                contentsOf: registry.view.appending(
                    path: ViewPath.updateFile(from: one.manifest, to: evil.manifest).description)))
        let file = ViewPath.updateFile(from: one.manifest, to: two.manifest).description
        let honest = try UpdateFile(parsing: [UInt8](Data(contentsOf: registry.view.appending(path: file))))
        let lies = try UpdateFile(parsing: other)
        let told: [UInt8] =
            switch lie {
            case .flipped: UpdateFile.bytes(skeleton: honest.skeleton.map { $0 ^ 0x10 }, patch: Array(honest.patch))
            case .cut: UpdateFile.bytes(skeleton: Array(honest.skeleton), patch: Array(honest.patch.dropLast(3)))
            case .empty: []
            case .newerFormat: [2] + UpdateFile.bytes(skeleton: Array(honest.skeleton), patch: []).dropFirst()
            case .otherRelease: other
            case .otherPatch: UpdateFile.bytes(skeleton: Array(honest.skeleton), patch: Array(lies.patch))
            case .skeletonOnly: UpdateFile.bytes(skeleton: Array(lies.skeleton), patch: [])
            case .noise: UpdateFile.bytes(skeleton: (0..<200).map { UInt8($0) }, patch: [])
            case .largeFile, .largeSum, .manyFiles, .otherPackage, .otherPackageFound:
                UpdateFile.bytes(skeleton: try hostile(lie), patch: Array(honest.patch))
            }
        let paths = try await update { path, bytes in path == file ? told : bytes }
        #expect(paths.first == file)
        try await expectTheNextVersion()
        let said = try device.events(.fellBack).map(\.why)
        #expect(said.first?.hasPrefix("the update file was refused") == true, "\(said)")
        #expect(said.first?.contains(lie.reason) == true, "\(said)")
        // The objects of the two versions, and no other file outside of what the device writes in any case.
        let wanted = try [one, two].flatMap { try #require(registry.manifests[$0]).ownObjects.map(\.digest.hex) }
        let listing = try device.listing()
        let objects = listing.filter { $0.hasPrefix("objects/") }.compactMap { $0.split(separator: "/").last }
        #expect(Set(objects.map(String.init).filter { $0.count == 64 }) == Set(wanted))
        #expect(listing.filter { $0.hasPrefix("downloads/") || $0.contains("other/") || $0.contains("new") }.isEmpty)
    }

    /// A skeleton that no packtool writes, for the device that has the first version.
    private func hostile(_ lie: Lie) throws -> [UInt8] {
        let skeleton = try HostileSkeleton(base: #require(registry.manifests[one]))
        switch lie {
        case .largeFile: return skeleton.changing([skeleton.largestByteCount + 1])
        // Each could be.
        case .largeSum: return skeleton.changing([Int](repeating: skeleton.largestByteCount / 2 + 1, count: 2))
        case .manyFiles: return try skeleton.adding(500)
        case .otherPackage: return try skeleton.addingFileOfOtherPackage()
        default: return skeleton.findingName(in: "../other/")
        }
    }

    @Test func `a version that this app cannot run brings no objects`() async throws {
        let two = try publishNext(requires: ">=99.0.0")
        let paths = try await update()
        #expect(
            paths == [
                ViewPath.updateFile(from: one.manifest, to: two.manifest).description,
                ViewPath.manifestPatch(from: one.manifest, to: two.manifest).description,
            ])
        #expect(try await device.page("checkout") == "one")
    }

    private func size(_ path: ViewPath) throws -> Int {
        try Data(contentsOf: registry.view.appending(path: path.description)).count
    }

    @Test func `what an update file brings is counted, and the report says by what it came`() async throws {
        device.configuration.reports = ReportSettings()
        let two = try publishNext()
        let report = try await device.updater().update(.all)
        let transfer = try #require(report.transfers.first)
        let manifest = try #require(registry.manifests[two])
        #expect(transfer.way == .patch && transfer.version == two.version && report.transfers.count == 1)
        #expect(try transfer.byteCount == size(.updateFile(from: one.manifest, to: two.manifest)))
        #expect(transfer.size == manifest.ownObjects.reduce(0) { $0 + $1.size })
        let text = try #require(try await device.updater().pendingReport())
        let events = try ReportBatch(parsing: Array(text.utf8)).events
        #expect(events.last { $0.code == .downloaded }?.wireByteCount == transfer.byteCount)
    }

    @Test func `a patch beside an update file is counted with it`() async throws {
        var random = SystemRandomNumberGenerator()
        let noise = (0..<20_000).map { _ in String(UInt64.random(in: 0...UInt64.max, using: &random)) }.joined()
        let two = try publishNext(noise)
        let transfer = try #require(try await device.updater().update(.all).transfers.first)
        let (update, patch) = try (
            size(.updateFile(from: one.manifest, to: two.manifest)), size(.patch(from: one.manifest, to: two.manifest))
        )
        #expect(transfer.byteCount == update + patch && transfer.way == .patch)
    }

    @Test func `a release that waits for an unmetered network fetches no update file`() async throws {
        let two = try publishNext()
        try registry.set(
            PackageID("checkout"),
            [
                Release(
                    id: "r2", offer: .version(two.version, manifest: two.manifest),
                    policy: ClientPolicy(network: .unmetered))
            ])
        device.configuration.network = { .metered }
        #expect(try await update() == [])
        device.configuration.network = { .unmetered }
        #expect(try await update() == [ViewPath.updateFile(from: one.manifest, to: two.manifest).description])
    }

    @Test func `a patch that an update file needs is downloaded by one at a time`() async throws {
        var random = SystemRandomNumberGenerator()
        let noise = (0..<20_000).map { _ in String(UInt64.random(in: 0...UInt64.max, using: &random)) }.joined()
        let two = try publishNext(noise)
        let transport = WatchedTransport(FolderTransport(folder: registry.view))
        let updater = try device.updater(transport: transport)
        let patch = ViewPath.patch(from: one.manifest, to: two.manifest).description
        let turns = await updater.arrivalDownloads
        await turns.take(Digest(of: Array(patch.utf8)))
        async let report = updater.update(.all)
        while await transport.paths.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        try await Task.sleep(for: .milliseconds(150))
        #expect(await transport.paths == [ViewPath.updateFile(from: one.manifest, to: two.manifest).description])
        await turns.end(Digest(of: Array(patch.utf8)))
        #expect(try await report.isChanged)
        #expect(await transport.paths.last == patch)
    }
}
