import Foundation
import PackFormat
import PackRegistryS3
import PackTrust
import Synchronization
import TestSupport
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// What every store of a view does, the twin in memory included.
@Suite("ViewStoreContractTests") struct ViewStoreContractTests {
    /// What a view is kept in.
    enum Kind: CaseIterable, CustomTestStringConvertible {
        case memory
        case folder
        case s3
        /// Remote storage, with copies here.
        case mirror

        var testDescription: String { "\(self)" }

        func store(in folder: TemporaryFolder) async throws -> any ViewStore {
            switch self {
            case .memory: MemoryViewStore()
            case .folder: FolderViewStore(folder: RegistryFolder(folder.url))
            case .s3: try await S3Store.ofTests().view
            case .mirror: MirroredView(mirror: ViewMirror(RegistryFolder(folder.url), of: MemoryStorage()))
            }
        }
    }

    private static let root = ViewPath.metadata(.root, version: 1)

    private static func file(_ path: ViewPath, _ text: String) -> ViewFile { ViewFile(path) { Array(text.utf8) } }

    private static func text(_ view: any ViewStore, _ path: ViewPath) async throws -> String? {
        try await view.read(path, maximumByteCount: 1 << 20).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: Kind.allCases)
    func `files are put once, and it is told which were not there`(kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let view = try await kind.store(in: folder)
        let other = ViewPath.object(Digest(of: [1]))
        #expect(try await Self.text(view, Self.root) == nil)
        #expect(try await view.put([Self.file(Self.root, "one"), Self.file(other, "two")]) == [Self.root, other])
        #expect(try await Self.text(view, Self.root) == "one")
        #expect(try await Self.text(view, other) == "two")
        // What is there stays, and nobody is asked for its bytes.
        let asked = Mutex(0)
        let again = ViewFile(Self.root) {
            asked.withLock { $0 += 1 }
            return []
        }
        let third = ViewPath.object(Digest(of: [2]))
        #expect(try await view.put([again, Self.file(third, "three")]) == [third])
        #expect(asked.withLock { $0 } == 0)
        #expect(try await Self.text(view, Self.root) == "one")
        #expect(try await view.put([]).isEmpty)
    }

    @Test(arguments: Kind.allCases)
    func `a file whose bytes cannot be had is not there afterwards`(kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let view = try await kind.store(in: folder)
        await #expect(throws: StaleView()) { try await view.put([ViewFile(Self.root) { throw StaleView() }]) }
        #expect(try await view.read(Self.root, maximumByteCount: 10) == nil)
    }

    @Test(arguments: Kind.allCases)
    func `what is added stays as it is`(kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let view = try await kind.store(in: folder)
        try await view.add([Self.file(Self.root, "one")])
        try await view.add([Self.file(Self.root, "two"), Self.file(.metadata(.root, version: 2), "three")])
        #expect(try await Self.text(view, Self.root) == "one")
        #expect(try await Self.text(view, .metadata(.root, version: 2)) == "three")
        await #expect(throws: StaleView()) {
            try await view.add([ViewFile(.metadata(.root, version: 3)) { throw StaleView() }])
        }
        #expect(try await Self.text(view, .metadata(.root, version: 3)) == nil)
    }

    @Test(arguments: Kind.allCases)
    func `a timestamp replaces the one that was seen, and no other`(kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let view = try await kind.store(in: folder)
        let (one, two, three) = (Array("one".utf8), Array("two".utf8), Array("three".utf8))
        await #expect(throws: StaleView()) { try await view.show(two, replacing: one) }
        #expect(try await view.read(.timestamp, maximumByteCount: 10) == nil)
        try await view.show(one, replacing: nil)
        await #expect(throws: StaleView()) { try await view.show(two, replacing: nil) }
        try await view.show(two, replacing: one)
        await #expect(throws: StaleView()) { try await view.show(three, replacing: one) }
        #expect(try await Self.text(view, .timestamp) == "two")
    }

    @Test(arguments: Kind.allCases)
    func `of many who replace the same timestamp one does`(kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let view = try await kind.store(in: folder)
        try await view.show([0], replacing: nil)
        let winners: [UInt8] = await withTaskGroup(of: UInt8?.self) { group in
            for number in UInt8(1)...20 {
                group.addTask {
                    do { try await view.show([number], replacing: [0]) } catch { return nil }
                    return number
                }
            }
            return await group.reduce(into: []) { if let number = $1 { $0.append(number) } }
        }
        #expect(winners.count == 1)
        #expect(try await view.read(.timestamp, maximumByteCount: 10) == winners)
    }

    @Test(arguments: Kind.allCases)
    func `a file is read in parts, and whole only within a limit`(kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let view = try await kind.store(in: folder)
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        try await view.put([ViewFile(Self.root) { bytes }])
        #expect(
            try await view.read(Self.root, from: 5, maximumByteCount: 3) == ViewPart(Array(bytes[5..<8]), size: 100_000)
        )
        #expect(
            try await view.read(Self.root, from: 99_999, maximumByteCount: 3)
                == ViewPart([bytes[99_999]], size: 100_000))
        #expect(try await view.read(Self.root, from: 100_000, maximumByteCount: 3)?.bytes == [])
        #expect(try await view.read(.timestamp, from: 0, maximumByteCount: 3) == nil)
        #expect(try await view.read(Self.root, maximumByteCount: 100_000) == bytes)
        let error = await #expect(throws: RegistryError.self) {
            try await view.read(Self.root, maximumByteCount: 99_999)
        }
        #expect(error?.kind == .tooLarge)
        let copy = folder.url.appending(path: "copy")
        #expect(try await view.copy(Self.root, to: copy))
        #expect(try Data(contentsOf: copy) == Data(bytes))
        // Never over something else.
        await #expect(throws: (any Error).self) { try await view.copy(Self.root, to: copy) }
        #expect(try await !view.copy(.timestamp, to: folder.url.appending(path: "none")))
    }

    @Test(arguments: Kind.allCases)
    func `what is removed is gone, and may be put again`(kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let view = try await kind.store(in: folder)
        try await view.put([Self.file(Self.root, "one")])
        try await view.remove([Self.root, .object(Digest(of: []))])
        #expect(try await Self.text(view, Self.root) == nil)
        #expect(try await view.put([Self.file(Self.root, "two")]) == [Self.root])
        #expect(try await Self.text(view, Self.root) == "two")
    }

    /// Whatever is put before, a reader finds the old whole until the timestamp is shown.
    @Test(arguments: ServicesKind.allCases)
    func `a view that was interrupted anywhere is made good by the next update`(kind: ServicesKind) async throws {
        struct Killed: Error {}
        final class Interrupted: ViewStore {
            let base: any ViewStore
            let left: Mutex<Int>

            init(_ base: any ViewStore, after steps: Int) {
                self.base = base
                left = Mutex(steps)
            }

            private func step() throws {
                try left.withLock { left in
                    guard left > 0 else { throw Killed() }
                    left -= 1
                }
            }

            func put(_ files: [ViewFile]) async throws -> Set<ViewPath> {
                var missing: Set<ViewPath> = []
                for file in files {
                    try step()
                    missing.formUnion(try await base.put([file]))
                }
                return missing
            }

            func show(_ timestamp: [UInt8], replacing shown: [UInt8]?) async throws {
                try step()
                try await base.show(timestamp, replacing: shown)
            }

            func read(_ path: ViewPath, from offset: Int, maximumByteCount: Int) async throws -> ViewPart? {
                try await base.read(path, from: offset, maximumByteCount: maximumByteCount)
            }

            func remove(_ paths: [ViewPath]) async throws {
                try step()
                try await base.remove(paths)
            }
        }
        let bench = try await ServicesBench(kind)
        try await bench.publish("1.0.0", "1.1.0")
        let (store, view) = (bench.services.store, bench.services.view)
        var steps = 0
        var isDone = false
        while !isDone {
            let share = try Share(percent: 1 + steps)
            let change: ChannelChange = steps == 0 ? .offer(try version("1.0.0")) : .setRollout(share)
            _ = try await bench.services.record(
                ChannelRelease(change, of: package(), on: channel(), randomBits: UInt32(steps)),
                as: .local(user: "ann"))
            do {
                try await ViewWriter(store: store, view: Interrupted(view, after: steps)).update()
                isDone = true
            } catch is Killed {}
            // A device that comes now reads something whole.
            let device = try bench.shop.device(over: bench.registry)
            try await device.refresh()
            try await ViewWriter(store: store, view: view).update()
            let file = try await ChannelFile(
                parsing: bench.shop.device(over: bench.registry).target("channels/beta.json", maximumByteCount: 1 << 20)
            )
            let rollout = try file.packages[package()]?.releases.first?.rollout.share
            #expect(rollout == (steps == 0 ? .whole : share))
            steps += 1
        }
        #expect(steps > 6)
    }

    @Test(arguments: ServicesKind.allCases)
    func `what was recorded and not shown, because a process was killed, is all there after the next change`(
        kind: ServicesKind
    ) async throws {
        let bench = try await ServicesBench(kind)
        try await bench.publish("1.0.0", "1.1.0")
        let (store, view) = (bench.services.store, bench.services.view)
        let changes: [ChannelChange] = [
            .offer(try version("1.0.0")), .setRollout(try Share(percent: 30)), .offer(try version("1.1.0")),
            .setRollout(try Share(percent: 40)),
        ]
        for (number, change) in changes.enumerated() {
            _ = try await bench.services.record(
                ChannelRelease(change, of: package(), on: channel(), randomBits: UInt32(number)),
                as: .local(user: "ann"))
            if number == 0 { try await ViewWriter(store: store, view: view).update() }
        }
        try await ViewWriter(store: store, view: view).update()
        for file in try await ViewWriter(store: store, view: view).files() {
            let found = try await view.read(file.path, maximumByteCount: 1 << 20)
            #expect(try await found == file.bytes(), "\(file.path)")
        }
    }

    /// A view of a gigabyte that is written anew: what was read goes to the disk before more is read.
    @Test func `a folder holds a few megabytes of what is put, however much it is`() async throws {
        let folder = try TemporaryFolder()
        let files = RegistryFolder(folder.url)
        try FileManager.default.createDirectory(at: files.view, withIntermediateDirectories: true)
        let view = FolderViewStore(folder: files)
        let paths = (0..<6).map { ViewPath.object(Digest(of: [UInt8($0)])) }
        let present = Mutex<[Int]>([])
        let put = paths.enumerated().map { index, path in
            ViewFile(path) {
                let count = paths.filter { FileManager.default.fileExists(atPath: files.view($0).path) }.count
                present.withLock { $0.append(count) }
                return [UInt8](repeating: UInt8(index), count: 9 << 20)
            }
        }
        #expect(try await view.put(put) == Set(paths))
        #expect(present.withLock { $0 } == [0, 0, 2, 2, 4, 4])
        for path in paths { #expect(try await view.read(path, maximumByteCount: 10 << 20)?.count == 9 << 20) }
    }
}
