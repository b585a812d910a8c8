import Foundation
import Testing

@testable import PackArchive

/// The archives that libzip and libarchive test themselves with; `scripts/fetch-archive-corpora.sh` fetches them, which
/// `make soak` runs.
struct ArchiveCorpusTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: ".cache/archive-corpora")
    private static let isFetched = FileManager.default.fileExists(atPath: folder.appending(path: "complete").path)
    /// `make soak` fetches them, so there they must be.
    private static let isRun = isFetched || ProcessInfo.processInfo.environment["PACKTOOL_LONG"] == "1"

    /// What is sound in them: everything else must be refused.
    private static let sound: Set<String> = [
        // libarchive
        "test_compat_zip_1.zip", "test_compat_zip_3.zip", "test_compat_zip_5.zip", "test_compat_zip_6.zip",
        "test_read_format_zip_comment_stored_1.zip", "test_read_format_zip_comment_stored_2.zip",
        "test_read_format_zip_filename_utf8_jp.zip", "test_read_format_zip_high_compression.zip",
        "test_read_format_zip_length_at_end.zip", "test_read_format_zip_mac_metadata.zip",
        "test_read_format_zip_nested.zip", "test_read_format_zip_nofiletype.zip", "test_read_format_zip_ux.zip",
        "test_read_format_zip_zip64a.zip",
        // libzip
        "bigzero-zip.zip", "cm-default.zip", "encrypt-none.zip", "fileorder.zip", "firstsecond-split-deflated.zip",
        "firstsecond-split-stored.zip", "firstsecond.zip", "foo-stored.zip", "manyfiles-zip.zip", "rename_ok.zip",
        "test-cp437-fc-utf-8-filename.zip", "test-cp437-fc.zip", "test-utf8-unmarked.zip", "test-utf8.zip", "test.zip",
        "test2.zip", "testbuffer.zip", "testchanged.zip", "testchangedlocal.zip", "testcomment.zip",
        "testcomment13.zip", "testcommentremoved.zip", "testdeflated.zip", "testdeflated2.zip", "testdir.zip",
        "testempty.zip", "testfile-UTF8.zip", "testfile-stored-dos.zip", "testfile.zip", "testfile0.zip",
        "testfile2014.zip", "teststdin.zip", "teststored.zip", "utf-8-standardization-output.zip",
    ]

    private func archives(_ name: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: Self.folder.appending(path: name), includingPropertiesForKeys: nil)
    }

    private func refusal(_ file: URL) -> String? {
        struct Drain: ContentSink {
            mutating func write(_ bytes: UnsafeRawBufferPointer) {}
            mutating func finish() {}
        }
        do {
            try ValidatedArchive(file: file).forEachFile { _ in Drain() }
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test(.enabled(if: isRun, "run scripts/fetch-archive-corpora.sh first"))
    func `every inconsistent archive of libzip is refused`() throws {
        let files = try archives("libzip").filter { $0.lastPathComponent.hasPrefix("incons-") }
        #expect(files.count >= 33)
        for file in files { #expect(refusal(file) != nil, "\(file.lastPathComponent)") }
    }

    @Test(.enabled(if: isRun, "run scripts/fetch-archive-corpora.sh first"), arguments: ["libzip", "libarchive"])
    func `sound archives pass and all others are refused`(library: String) throws {
        let files = try archives(library)
        #expect(files.contains { Self.sound.contains($0.lastPathComponent) })
        for file in files {
            let refusal = refusal(file)
            #expect((refusal == nil) == Self.sound.contains(file.lastPathComponent), "\(refusal ?? file.path)")
        }
    }
}
