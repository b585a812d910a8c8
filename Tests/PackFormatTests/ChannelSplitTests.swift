import Foundation
import PackJSON
import Testing

@testable import PackFormat

/// Large channels in a head and parts.
@Suite("ChannelSplitTests") struct ChannelSplitTests {
    private func release(_ name: String, _ share: Int = 100, set: String? = nil) throws -> Release {
        try Release(
            id: name, offer: .version(SemanticVersion("1.0.0"), manifest: Digest(of: Data(name.utf8))),
            rollout: Rollout(
                share: Share(percent: share), audiences: [Audience("platform=ios; locale=de,fr,it")]), set: set)
    }

    private func package(_ number: Int) throws -> PackageID { try PackageID("package-\(number)") }

    private func whole(
        _ count: Int, sets: [[Int]] = [], disabled: Swift.Set<Int> = [], changed: Int? = nil
    ) throws -> ChannelFile {
        var packages: [PackageID: ChannelFile.Package] = [:]
        for number in 0..<count {
            let own = try release("\(number)-2\(number == changed ? "-changed" : "")", number % 100)
            let tied = try sets.enumerated().filter { $1.contains(number) }.map { index, _ in
                try release("\(number)-set-\(index)", 50, set: "set-\(index)")
            }
            packages[try package(number)] = ChannelFile.Package(
                releases: tied + [own, try release("\(number)-1")], isEnabled: !disabled.contains(number))
        }
        return ChannelFile(
            app: "shop", channel: try ChannelName("stable"), packages: packages, poll: try ChannelPoll(seconds: 900),
            groups: ["testers": GroupReference(deviceCount: 3, digest: Digest(of: [1]))])
    }

    private func split(_ file: ChannelFile) throws -> ChannelSplit? {
        ChannelSplit(file, wholeByteCount: file.bytes.count)
    }

    /// What a device has of some packages.
    private func assembled(_ split: ChannelSplit, _ packages: [PackageID]) throws -> ChannelFile {
        let head = try ChannelHead(parsing: split.head.bytes)
        #expect(head == split.head)
        let parts = try Swift.Set(packages.map { head.part(of: $0) }).compactMap { part in
            try split.parts[part].map { try ChannelPart.file(parsing: $0, part: part) }
        }
        return head.file(with: parts)
    }

    @Test func `a device that reads the parts of its packages decides as one that reads all`() throws {
        var generator = SystemRandomNumberGenerator()
        let sets = [[1, 2, 3], [3, 4], [50, 51], [7, 300], [8, 9, 10, 11, 12]]
        let file = try whole(400, sets: sets, disabled: [5, 6, 51])
        let split = try #require(try split(file))
        #expect(Swift.Set(split.parts.keys).isSubset(of: Swift.Set(0..<split.head.partCount)))
        let all = ReleaseSets(of: file)
        for _ in 0..<100 {
            let mine =
                try (0..<Int.random(in: 1...6)).map { _ in try package(.random(in: 0..<400, using: &generator)) }
                + [package(9_999)]
            let read = try assembled(split, mine)
            #expect(read.poll == file.poll && read.groups == file.groups && read.packages.count < 200)
            let own = ReleaseSets(of: read)
            for package in mine {
                #expect(read.packages[package] == file.packages[package])
                for set in file.packages[package]?.releases.compactMap(\.set) ?? [] {
                    #expect(own.members(of: set) == all.members(of: set))
                }
                for device in 0..<10 {
                    let facts = DeviceFacts(deviceID: "d\(device)", platform: "ios", locale: "de")
                    let offers = (ChannelOffers(file), ChannelOffers(read))
                    #expect(
                        offers.0.decision(for: facts, package).release?.id
                            == offers.1.decision(for: facts, package).release?.id)
                }
            }
            // A gate that is off holds before anything else is known of its package.
            for number in [5, 6, 51] { #expect(read.packages[try self.package(number)]?.isEnabled == false) }
        }
    }

    @Test func `a change of one package changes its part, and nothing else`() throws {
        let (before, after) = (
            try #require(try split(whole(400))), try #require(try split(whole(400, changed: 17)))
        )
        #expect(before.head == after.head)
        let changed = after.parts.filter { before.parts[$0.key] != $0.value }.map(\.key)
        #expect(changed == [before.head.part(of: try package(17))])
        let sizes = after.parts.values.map(\.count)
        #expect(
            sizes.reduce(0, +) / sizes.count < ChannelSplit.partByteCount
                && sizes.max() ?? 0 < 3 * ChannelSplit.partByteCount)
    }

    @Test func `a small channel, and one that a set holds together, stay whole`() throws {
        #expect(try split(whole(100)) == nil)
        #expect(try split(whole(400)) != nil)
        #expect(try split(whole(400, sets: [Array(0..<300)])) == nil)
    }

    @Test func `what is no head and no part is refused`() throws {
        let split = try #require(try split(whole(400)))
        let (number, part) = try #require(split.parts.min { $0.key < $1.key })
        #expect(throws: FormatError.self) { try ChannelPart.file(parsing: part, part: number + 1) }
        #expect(throws: FormatError.self) { try ChannelFile(parsing: part) }
        #expect(throws: FormatError.self) { try ChannelHead(parsing: part) }
        #expect(throws: FormatError.self) { try ChannelPart.file(parsing: split.head.bytes, part: 0) }
        func head(_ change: (inout JSONObject) -> Void) throws -> [UInt8] {
            var json = try JSONValue(parsing: split.head.bytes).object("head")
            change(&json)
            return JSONValue.object(json).canonicalBytes
        }
        for bytes in [
            try head { $0["format"] = 2 }, try head { $0["format"] = 4 }, try head { $0["parts"] = 0 },
            try head { $0["parts"] = 257 }, try head { $0["moved"] = .object(["package-1": 256]) },
            try head { $0["moved"] = .object(["package-1": -1]) }, try head { $0["disabled"] = .array(["A B"]) },
            [],
        ] {
            #expect(throws: FormatError.self) { try ChannelHead(parsing: bytes) }
        }
        // A registry may say more than an older device understands.
        #expect(try ChannelHead(parsing: head { $0["later"] = true }) == split.head)
    }
}
