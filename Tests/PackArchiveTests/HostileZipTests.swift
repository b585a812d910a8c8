import Foundation
import PackFormat
import Testing

@testable import PackArchive

/// One test a fault: the archive is refused, by the name of the fault, with the entry where there is one.
struct HostileZipTests {
    let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private func judge(_ bytes: [UInt8], limits: ArchiveLimits = .standard) throws {
        let archive = try ValidatedArchive(file: folder.write(bytes, to: "a.zip"), limits: limits)
        struct Counter: ContentSink {
            mutating func write(_ bytes: UnsafeRawBufferPointer) {}
            mutating func finish() {}
        }
        try archive.forEachFile { _ in Counter() }
    }

    private func expect(
        _ fault: ArchiveFault, at entry: String? = nil, in zip: CraftedZip, limits: ArchiveLimits = .standard,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: ArchiveError.self, sourceLocation: sourceLocation) {
            try judge(zip.bytes, limits: limits)
        }
        #expect(error?.fault == fault, sourceLocation: sourceLocation)
        #expect(error?.entry == entry, sourceLocation: sourceLocation)
        #expect(error?.description.contains("a.zip") == true, sourceLocation: sourceLocation)
    }

    /// Two honest entries, for a test to spoil one field.
    private func zip(_ spoil: (inout CraftedZip) -> Void = { _ in }) -> CraftedZip {
        var zip = CraftedZip(.init("a.txt"), .init("b/ü.txt", "world"))
        spoil(&zip)
        return zip
    }

    @Test func `an honest zip passes, with or without folders, a comment and deflate`() throws {
        try judge(zip().bytes)
        var rich = CraftedZip(.folder("b/"), .init("b/c.txt", String(repeating: "x", count: 1000)))
        try rich.entries[1].deflate()
        rich.comment = Array("made by hand".utf8)
        try judge(rich.bytes)
    }

    // MARK: The file as a whole

    @Test func `a file without end record is no zip`() throws {
        for bytes in [[], Array("hello".utf8), Array(zip().bytes.dropLast(23))] {
            let error = #expect(throws: ArchiveError.self) { try judge(bytes) }
            #expect(error?.fault == .notAZip)
        }
    }

    @Test func `a zip cut off at any byte is refused`() {
        let whole = zip().bytes
        for count in 0..<whole.count {
            #expect(throws: ArchiveError.self) { try judge(Array(whole.prefix(count))) }
        }
    }

    @Test func `a wrong bit anywhere never traps`() {
        let whole = zip().bytes
        for position in whole.indices {
            for bit in [0, 3, 7] {
                var bytes = whole
                bytes[position] ^= 1 << bit
                do { try judge(bytes) } catch { #expect(error is ArchiveError) }
            }
        }
    }

    @Test func `data before the first entry is refused`() {
        expect(.dataBefore, at: "a.txt", in: zip { $0.prefix = Array("#!/bin/sh\n".utf8) })
    }

    @Test func `data before, with offsets that do not count it, is refused`() {
        let shifted = zip {
            $0.prefix = Array("#!/bin/sh\n".utf8)
            $0.directoryOffset = CraftedZip(.init("a.txt"), .init("b/ü.txt", "world")).bytes.count
        }
        #expect(throws: ArchiveError.self) { try judge(shifted.bytes) }
        var inner = zip().bytes
        inner = Array("#!/bin/sh\n".utf8) + inner
        let error = #expect(throws: ArchiveError.self) { try judge(inner) }
        #expect(error?.fault == .misplacedDirectory)
    }

    @Test func `data after the end record is refused`() {
        expect(.dataAfter, in: zip { $0.suffix = [0] })
    }

    @Test func `a comment longer than the file is refused`() {
        expect(.truncated("the archive's comment"), in: zip { $0.commentLength = 5 })
    }

    @Test func `a comment that hides a second end record is refused`() {
        expect(.severalEndRecords, in: zip { $0.comment = CraftedZip().bytes })
        expect(.severalEndRecords, in: zip { $0.comment = Array("PK\u{5}\u{6}".utf8) })
    }

    @Test func `a long comment is refused as what it is, and the longest that every reader passes is not`() throws {
        let longest = zip { $0.comment = [UInt8](repeating: 0x20, count: 16_000) }
        try judge(longest.bytes)
        let long = zip { $0.comment = [UInt8](repeating: 0x20, count: 65_535) }
        expect(.longComment(65_535, limit: 16_000), in: long)
        let error = #expect(throws: ArchiveError.self) { try judge(long.bytes) }
        #expect(error?.description.contains("has an archive comment of 65535 bytes") == true, "\(error as Any)")
    }

    @Test func `a comment that its Unicode field contradicts is refused, and one in another character set is not`()
        throws
    {
        /// The field 0x6375 of libzip's incons-central-file-comment-utf8-ascii.zip, with a text.
        func field(_ text: String) -> [UInt8] {
            CraftedZip.number(UInt16(0x6375)) + CraftedZip.number(UInt16(5 + text.utf8.count)) + [
                1, 0x0c, 0x7e, 0x7f, 0xd8,
            ]
                + Array(text.utf8)
        }
        func commented(_ comment: [UInt8], _ text: String) -> CraftedZip {
            zip {
                $0.entries[0].comment = comment
                $0.entries[0].central.extra = field(text)
            }
        }
        expect(.contradictoryComment, at: "a.txt", in: commented(Array("file comment".utf8), "ASCII  comment"))
        try judge(commented(Array("file comment".utf8), "file comment").bytes)
        try judge(commented([0x81], "ü").bytes)
    }

    @Test func `two archives one after the other are refused`() {
        let error = #expect(throws: ArchiveError.self) { try judge(zip().bytes + zip().bytes) }
        #expect(error?.fault == .misplacedDirectory)
    }

    @Test func `a split archive is refused`() {
        expect(.severalDisks, in: zip { $0.disk = 1 })
        expect(.severalDisks, in: zip { $0.diskEntryCount = 1 })
        expect(.severalDisks, at: "a.txt", in: zip { $0.entries[0].disk = 1 })
    }

    @Test func `bytes between the central directory and the end record are refused`() {
        expect(.misplacedDirectory, in: zip { $0.beforeEnd = [1, 2, 3] })
    }

    @Test func `a central directory beyond the file is refused`() {
        expect(.truncated("the central directory"), in: zip { $0.directoryOffset = 1 << 30 })
        expect(.truncated("the central directory"), in: zip { $0.directorySize = 1 << 30 })
    }

    @Test func `another number of entries than the end record says is refused`() {
        expect(.wrongEntryCount, in: zip { $0.entryCount = 1 })
        expect(.wrongEntryCount, in: zip { $0.entryCount = 3 })
    }

    @Test func `a central header with a wrong signature is refused`() {
        let reason = "a record is cut off or does not start where it should"
        expect(.damagedDirectory(reason), in: zip { $0.entries[0].centralSignature = 0x0201_4b51 })
    }

    // MARK: zip64

    @Test func `a zip64 locator that nothing needs is refused`() {
        let locator = CraftedZip.number(UInt32(0x0706_4b50)) + [UInt8](repeating: 0, count: 16)
        let zip = zip { $0.beforeEnd = locator }
        let error = #expect(throws: ArchiveError.self) { try judge(zip.bytes) }
        #expect(error?.fault == .zip64NotNeeded)
    }

    @Test func `a saturated end record whose zip64 record says something that would have fitted is refused`() {
        var zip = zip()
        let plain = zip.bytes
        let start = plain.count - 22 - Int(plain[plain.count - 10]) - Int(plain[plain.count - 9]) << 8
        let size = plain.count - 22 - start
        var record = CraftedZip.number(UInt32(0x0606_4b50)) + CraftedZip.number(UInt64(44))
        record += CraftedZip.number(UInt32(0)) + CraftedZip.number(UInt64(0))
        for number in [2, 2, size, start] { record += CraftedZip.number(UInt64(number)) }
        record += CraftedZip.number(UInt32(0x0706_4b50)) + CraftedZip.number(UInt32(0))
        record += CraftedZip.number(UInt64(start + size)) + CraftedZip.number(UInt32(1))
        zip.beforeEnd = record
        zip.directoryOffset = 0xFFFF_FFFF
        expect(.contradictoryZip64("directory offset"), in: zip)
    }

    @Test func `a saturated field without a zip64 record is refused`() {
        expect(.damagedDirectory("a zip64 record is needed and missing"), in: zip { $0.directoryOffset = 0xFFFF_FFFF })
        expect(
            .damagedDirectory("a zip64 field is needed and missing"), at: "a.txt",
            in: zip { $0.entries[0].central.size = 0xFFFF_FFFF })
    }

    @Test func `a zip64 field that gives another size than the header is refused`() {
        let field = CraftedZip.extra(1, CraftedZip.number(UInt64(5)) + CraftedZip.number(UInt64(6)))
        expect(
            .contradictoryZip64("size or offset"), at: "a.txt", in: zip { $0.entries[0].central.extra = field })
        expect(.contradictoryZip64("size"), at: "a.txt", in: zip { $0.entries[0].local.extra = field })
    }

    // MARK: Layout

    @Test func `a gap between entries is refused`() {
        expect(.gap, at: "b/ü.txt", in: zip { $0.entries[0].after = [0, 0] })
    }

    @Test func `a gap before the central directory is refused`() {
        expect(.gap, in: zip { $0.entries[1].after = [0, 0] })
    }

    @Test func `two entries over the same bytes are refused`() {
        // The second central record points at the first entry: the quine of overlapping bombs.
        expect(
            .overlap, at: "a.txt",
            in: zip { zip in
                zip.entries[1].offsetShift = -40
                zip.entries[1].central.name = zip.entries[0].central.name
            })
    }

    @Test func `an entry that reaches into the next one is refused`() {
        expect(
            .overlap, at: "a.txt",
            in: zip {
                $0.entries[0].both(\.compressedSize, 20)
                $0.entries[0].both(\.size, 20)
            })
    }

    @Test func `an entry in the zip that the central directory does not list is refused`() {
        var zip = zip()
        let hidden = CraftedZip(.init("hidden.txt")).bytes.prefix(30 + 10 + 5)
        zip.entries[1].before = Array(hidden)
        expect(.gap, at: "b/ü.txt", in: zip)
    }

    @Test func `an offset that is no local header is refused`() {
        expect(.damagedLocalHeader, at: "a.txt", in: zip { $0.entries[0].localSignature = 0x0403_4b51 })
    }

    // MARK: Local header against central header

    @Test func `a local header that says something else is refused by the field`() {
        let spoilers: [(String, (inout CraftedZip.Header) -> Void)] = [
            ("name", { $0.name = Array("A.txt".utf8) }), ("flags", { $0.flags = 0x802 }),
            ("compression method", { $0.method = 8 }), ("time", { $0.time = 1 }), ("time", { $0.date = 1 }),
            ("CRC-32", { $0.crc32 ^= 1 }), ("compressed size", { $0.compressedSize = 4 }), ("size", { $0.size = 6 }),
        ]
        for (field, spoil) in spoilers {
            expect(.contradictoryHeaders(field), at: "a.txt", in: zip { spoil(&$0.entries[0].local) })
        }
    }

    @Test func `a stored entry with two sizes is refused`() {
        expect(
            .contradictoryHeaders("size of stored content"), at: "a.txt", in: zip { $0.entries[0].both(\.size, 6) })
    }

    @Test func `a data descriptor that says something else is refused`() {
        func descriptor(crc: UInt32, size: Int) -> [UInt8] {
            CraftedZip.number(UInt32(0x0807_4b50)) + CraftedZip.number(crc) + CraftedZip.number(UInt32(size))
                + CraftedZip.number(UInt32(size))
        }
        var honest = zip { zip in
            zip.entries[0].both(\.flags, 0x808)
            zip.entries[0].local.crc32 = 0
            zip.entries[0].local.size = 0
            zip.entries[0].local.compressedSize = 0
            zip.entries[0].after = descriptor(crc: zip.entries[0].central.crc32, size: 5)
        }
        #expect(throws: Never.self) { try judge(honest.bytes) }
        honest.entries[0].after = descriptor(crc: honest.entries[0].central.crc32, size: 6)
        expect(.contradictoryDescriptor, at: "a.txt", in: honest)
        honest.entries[0].after = descriptor(crc: 0, size: 5)
        expect(.contradictoryDescriptor, at: "a.txt", in: honest)
        honest.entries[0].after = []
        expect(.contradictoryDescriptor, at: "a.txt", in: honest)
    }

    // MARK: Kinds of entries

    @Test func `an encrypted entry is refused`() {
        expect(.encrypted, at: "a.txt", in: zip { $0.entries[0].both(\.flags, 0x801) })
    }

    @Test func `strong encryption, patches and masked headers are refused`() {
        for flag in [1 << 5, 1 << 6, 1 << 13] {
            expect(.unsupportedFlags(flag), at: "a.txt", in: zip { $0.entries[0].both(\.flags, 0x800 | flag) })
        }
    }

    @Test(arguments: [1, 6, 9, 12, 14, 93, 95, 99])
    func `a compression method other than store and deflate is refused`(method: Int) {
        expect(.unsupportedMethod(method), at: "a.txt", in: zip { $0.entries[0].both(\.method, method) })
    }

    @Test func `a symbolic link is refused, whatever the host byte says`() {
        for host in [0, 3, 19] {
            expect(
                .symbolicLink, at: "a.txt",
                in: zip {
                    $0.entries[0].host = host
                    $0.entries[0].attributes = 0o120777 << 16
                })
        }
    }

    @Test func `devices, FIFOs and sockets are refused`() {
        let kinds: [(UInt32, String)] = [
            (0o020000, "a character device"), (0o060000, "a block device"), (0o010000, "a FIFO"),
            (0o140000, "a socket"),
        ]
        for (mode, kind) in kinds {
            expect(
                .specialFile(kind), at: "a.txt",
                in: zip { $0.entries[0].attributes = (mode | 0o644) << 16 })
        }
    }

    @Test func `a file that says it is a folder is refused, and the other way round`() {
        expect(.contradictoryHeaders("kind"), at: "a.txt", in: zip { $0.entries[0].attributes = 0o040755 << 16 })
        var folder = CraftedZip.Entry("b/", "")
        expect(.contradictoryHeaders("kind"), at: "b/", in: CraftedZip(folder))
        folder = .init("b/", "content")
        folder.attributes = 0o040755 << 16
        expect(.folderWithContent, at: "b/", in: CraftedZip(folder))
    }

    @Test func `extra fields that carry links, modes, keys or nothing known are refused`() {
        for id in [0x000d, 0x756e, 0x6c78, 0x9901, 0x0017, 0x4242] {
            let field = CraftedZip.extra(id, [1, 2, 3, 4])
            expect(.forbiddenExtraField(id), at: "a.txt", in: zip { $0.entries[0].central.extra = field })
            expect(.forbiddenExtraField(id), at: "a.txt", in: zip { $0.entries[0].local.extra = field })
        }
    }

    @Test func `an extra field of a wrong length or that stands twice is refused`() {
        let time = CraftedZip.extra(0x5455, [1, 0, 0, 0, 0])
        expect(.damagedExtraField, at: "a.txt", in: zip { $0.entries[0].central.extra = Array(time.dropLast()) })
        expect(.damagedExtraField, at: "a.txt", in: zip { $0.entries[0].local.extra = time + time })
        expect(.damagedExtraField, at: "a.txt", in: zip { $0.entries[0].local.extra = [0] })
    }

    @Test func `a second name in a Unicode path field is refused`() {
        let field = CraftedZip.extra(0x7075, [1, 0, 0, 0, 0] + Array("../evil".utf8))
        expect(
            .contradictoryHeaders("name in the Unicode path field"), at: "a.txt",
            in: zip { $0.entries[0].central.extra = field })
        expect(
            .contradictoryHeaders("name in the Unicode path field"), at: "a.txt",
            in: zip { $0.entries[0].local.extra = field })
    }

    // MARK: Names

    @Test(arguments: [
        "/etc/passwd", "../evil", "a/../../evil", "a/./b", "a//b", "C:/evil", "C:evil", "a\\..\\evil", "a\u{0}b",
        "a\nb", "\u{7f}", "", "..", ".", "e\u{301}.txt", "a:b", "\\\\host\\share",
    ])
    func `a name that could leave the folder or differ between systems is refused`(name: String) {
        let zip = CraftedZip(.init(name))
        let error = #expect(throws: ArchiveError.self) { try judge(zip.bytes) }
        guard case .unsafeName = error?.fault else {
            Issue.record("refused as \(String(describing: error))")
            return
        }
    }

    @Test func `a name that is not UTF-8 is refused`() {
        for name: [UInt8] in [[0xFF], [0xC0, 0xAE], [0x61, 0xE9], [0xED, 0xA0, 0x80]] {
            let zip = CraftedZip(.init(name: name, content: []))
            let error = #expect(throws: ArchiveError.self) { try judge(zip.bytes) }
            #expect(error?.fault == .nameNotUTF8)
        }
    }

    @Test func `two entries of one name are refused`() {
        expect(.duplicateName, at: "a.txt", in: CraftedZip(.init("a.txt", "1"), .init("a.txt", "2")))
        expect(.duplicateName, at: "a", in: CraftedZip(.folder("a/"), .folder("a/")))
        expect(.duplicateName, at: "a", in: CraftedZip(.folder("a/"), .init("a")))
    }

    @Test(arguments: [
        ("a.txt", "A.TXT"), ("straße", "STRASSE"), ("\u{FB01}le", "file"), ("é.js", "É.js"), ("a", "a/b"),
        ("ﬀ/x", "ff/X"),
    ])
    func `names that one file system cannot tell apart are refused`(first: String, second: String) {
        let zip = CraftedZip(.init(first), .init(second))
        let error = #expect(throws: ArchiveError.self) { try judge(zip.bytes) }
        guard case .collidingNames = error?.fault else {
            Issue.record("refused as \(String(describing: error))")
            return
        }
    }

    @Test func `a folder whose name collides with a file is refused`() {
        let error = #expect(throws: ArchiveError.self) {
            try judge(CraftedZip(.folder("Assets/"), .init("assets")).bytes)
        }
        guard case .collidingNames = error?.fault else {
            Issue.record("refused as \(String(describing: error))")
            return
        }
    }

    // MARK: Limits

    @Test func `more than the allowed entries, bytes in the archive, in a file or in all are refused`() {
        expect(.tooManyFiles(limit: 1), in: zip(), limits: ArchiveLimits(maximumFileCount: 1))
        expect(.archiveTooLarge(limit: 100), in: zip(), limits: ArchiveLimits(maximumArchiveSize: 100))
        expect(.fileTooLarge(limit: 4), at: "a.txt", in: zip(), limits: ArchiveLimits(maximumFileSize: 4))
        expect(.totalTooLarge(limit: 9), at: "b/ü.txt", in: zip(), limits: ArchiveLimits(maximumTotalSize: 9))
    }

    @Test func `a ratio above 50 is refused past 64 MiB and not below`() throws {
        func bomb(_ size: Int) throws -> CraftedZip {
            var entry = CraftedZip.Entry(name: Array("bomb".utf8), content: [UInt8](repeating: 0, count: size))
            try entry.deflate()
            return CraftedZip(entry)
        }
        try judge(bomb(1 << 20).bytes)
        try expect(.ratio(limit: 50), at: "bomb", in: bomb(64 << 20 + 1))
        // Many entries that are each below the bound add up.
        let limits = ArchiveLimits(ratioFreeSize: 3 << 20)
        var several = try bomb(2 << 20)
        several.entries.append(try bomb(2 << 20).entries[0])
        several.entries[1].both(\.name, Array("bomb2".utf8))
        expect(.ratio(limit: 50), in: several, limits: limits)
    }

    // MARK: Content

    @Test func `content with a wrong checksum is refused`() {
        var zip = zip()
        zip.entries[0].both(\.crc32, 1)
        let error = #expect(throws: ArchiveError.self) { try judge(zip.bytes) }
        #expect(error?.entry == "a.txt")
        guard case .damagedContent = error?.fault else {
            Issue.record("refused as \(String(describing: error))")
            return
        }
    }

    @Test func `deflated content that is longer or shorter than its size is refused`() throws {
        for size in [999, 1001, 0] {
            var entry = CraftedZip.Entry("x", String(repeating: "x", count: 1000))
            try entry.deflate()
            entry.both(\.size, size)
            let error = #expect(throws: ArchiveError.self) { try judge(CraftedZip(entry).bytes) }
            #expect(error?.entry == "x")
        }
    }

    @Test func `bytes after the end of a deflated stream are refused`() throws {
        var entry = CraftedZip.Entry("x", String(repeating: "x", count: 1000))
        try entry.deflate()
        entry.data += Array("hidden".utf8)
        entry.both(\.compressedSize, entry.data.count)
        let error = #expect(throws: ArchiveError.self) { try judge(CraftedZip(entry).bytes) }
        #expect(error?.entry == "x")
    }

    @Test func `a deflated stream that is no deflate is refused`() throws {
        var entry = CraftedZip.Entry("x", "\u{7}\u{7}\u{7}\u{7}")
        entry.both(\.method, 8)
        #expect(throws: ArchiveError.self) { try judge(CraftedZip(entry).bytes) }
    }

    @Test func `a hostile name cannot write to the terminal`() {
        let error = ArchiveError(.duplicateName, file: "a.zip", entry: "\u{1B}[2J\u{202E}txt")
        #expect(!error.description.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
    }
}
