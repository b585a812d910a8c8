import Foundation
import PackFormat
import Synchronization
import Testing

@testable import PackUpdater

/// What a device reads of a large channel.
@Suite("ChannelReaderTests") struct ChannelReaderTests {
    /// Signed files in memory, with a count of what is fetched.
    private final class Targets: SignedTargets {
        let files = Mutex<[String: [UInt8]]>([:])
        let partCount = Mutex<Int?>(nil)
        let fetched = Mutex<[String]>([])

        func refresh() async throws {}

        func file(_ path: String) async throws -> SignedFile? {
            let isWhole = path == "channels/stable.json"
            return files.withLock { $0[path] }.map { bytes in
                SignedFile(
                    digest: Digest(of: bytes), size: bytes.count,
                    partCount: isWhole ? partCount.withLock(\.self) : nil)
            }
        }

        func channelNames() async -> [String] { [] }

        func target(_ path: String, maximumByteCount: Int) async throws -> [UInt8] {
            fetched.withLock { $0.append(path) }
            return files.withLock { $0[path] } ?? []
        }

        func takeFetched() -> [String] {
            fetched.withLock { fetched in
                defer { fetched = [] }
                return fetched
            }
        }

        /// Signs a channel's whole file, and head and parts beside it.
        func sign(_ file: ChannelFile) throws {
            let made = ChannelSplit(file, wholeByteCount: file.bytes.count)
            let split = try #require(made)
            files.withLock { files in
                files = ["channels/stable.json": file.bytes, "channels/stable.v3.json": split.head.bytes]
                for (part, bytes) in split.parts { files["channels/stable.part-\(part).json"] = bytes }
            }
            partCount.withLock { $0 = split.head.partCount }
        }
    }

    private static let name = try! ChannelName("stable")

    private static func package(_ number: Int) throws -> PackageID { try PackageID("package-\(number)") }

    private static func file(_ version: String = "1.0.0", changed: Int = 0) throws -> ChannelFile {
        var packages: [PackageID: ChannelFile.Package] = [:]
        for number in 0..<1_000 {
            let offer = try Release.Offer.version(
                SemanticVersion(number == changed ? version : "1.0.0"), manifest: Digest(of: Array("\(number)".utf8)))
            packages[try package(number)] = try ChannelFile.Package(
                releases: [Release(id: "r\(number)", offer: offer, rollout: .everyone)], isEnabled: number != 13)
        }
        return ChannelFile(app: "shop", channel: name, packages: packages)
    }

    private let targets = Targets()
    private let layout: StoreLayout
    private let folder: URL

    init() throws {
        folder = try Folders.temporary("channel-reader")
        layout = StoreLayout(folder: folder)
    }

    private func read(_ numbers: [Int]?, app: String? = "shop") async throws -> ChannelReader.Found {
        let packages = try numbers.map { try Set($0.map(Self.package)) }
        return try await ChannelReader(layout: layout, targets: targets).channel(Self.name, of: app, for: packages)
    }

    private var cachedNames: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: layout.cache.path).sorted() }
    }

    @Test func `a device reads the head and the parts of its packages, and each of them once`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try targets.sign(Self.file())
        let found = try await read([7, 8])
        #expect(!found.isWhole)
        #expect(found.channel.packages[try Self.package(7)] == (try Self.file().packages[Self.package(7)]))
        #expect(found.channel.packages[try Self.package(13)]?.isEnabled == false)
        #expect(found.channel.packages.count < 100)
        let fetched = targets.takeFetched()
        #expect(fetched.count <= 3 && fetched.allSatisfy { $0 != "channels/stable.json" }, "\(fetched)")
        _ = try await read([7, 8])
        #expect(targets.takeFetched().isEmpty)
        #expect(ChannelReader.cached(Self.name, layout) == found.channel)
        #expect(ChannelReader.isCachedInPart(Self.name, layout))

        // A release of another package changes nothing for this device, one of its own changes a part.
        try targets.sign(Self.file("2.0.0", changed: 300))
        _ = try await read([7])
        #expect(targets.takeFetched().isEmpty)
        try targets.sign(Self.file("2.0.0", changed: 7))
        let newer = try await read([7])
        #expect(targets.takeFetched().count == 1)
        guard case .version(let version, _) = newer.channel.packages[try Self.package(7)]?.releases.first?.offer else {
            Issue.record("it has no release")
            return
        }
        #expect("\(version)" == "2.0.0")
    }

    @Test
    func
        `the whole file counts where it is asked for, where it costs less, and where somebody signed it without parts`()
        async throws
    {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try Self.file()
        try targets.sign(file)
        #expect(!(try await read([7]).isWhole))
        #expect(try cachedNames.contains { $0.contains(".part-") })
        let whole = try await read(nil)
        #expect(whole.isWhole && whole.channel == file)
        #expect(try cachedNames == ["channel-stable.json"])
        #expect(try await read(Array(0..<200)).isWhole)
        #expect(!ChannelReader.isCachedInPart(Self.name, layout) && ChannelReader.cached(Self.name, layout) == file)

        // An older program signed another whole file: the parts that are listed are of before.
        targets.partCount.withLock { $0 = nil }
        #expect(try await read([7]).isWhole)
        targets.partCount.withLock { $0 = 8 }
        #expect(try await read([7]).isWhole)
    }

    @Test func `a head or a part of another channel or app is refused`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try targets.sign(Self.file())
        await #expect(throws: UpdateError.self) { try await read([7], app: "news") }
        let part = try #require(targets.files.withLock { $0.keys.filter { $0.contains(".part-") }.sorted() }.first)
        targets.files.withLock { $0[part] = $0["channels/stable.v3.json"] }
        await #expect(throws: (any Error).self) {
            for number in 0..<1_000 { _ = try await read([number]) }
        }
        targets.files.withLock { $0["channels/stable.v3.json"] = [1, 2, 3] }
        await #expect(throws: (any Error).self) { try await read([7]) }
    }
}
