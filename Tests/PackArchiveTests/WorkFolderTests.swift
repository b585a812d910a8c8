import Foundation
import Testing

@testable import PackArchive

/// Temporary folders that a killed process leaves behind.
struct WorkFolderTests {
    @Test func `a folder is the user's alone, and gone at the end`() throws {
        let temporary = try TestFolder()
        let work = try WorkFolder(in: temporary.url)
        let parent = work.url.deletingLastPathComponent()
        #expect(parent.lastPathComponent == "packtool-\(geteuid())")
        for folder in [parent, work.url] {
            let mode = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
            #expect(mode == 0o700)
        }
        try Data("x".utf8).write(to: work.url.appending(path: "file"))
        _ = consume work
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent.path) == ["lock"])
    }

    @Test func `what a killed process left is removed, and what lives stays`() throws {
        let temporary = try TestFolder()
        let living = try WorkFolder(in: temporary.url)
        let parent = living.url.deletingLastPathComponent()
        // A killed process's: its lock file is there, and nobody holds it.
        for (name, files) in [(UUID().uuidString, ["lock", "partial.zip"]), (UUID().uuidString, []), ("notes", ["a"])] {
            let folder = parent.appending(path: name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for file in files { try Data("x".utf8).write(to: folder.appending(path: file)) }
        }
        WorkFolder.sweep(in: temporary.url)
        #expect(
            try Set(FileManager.default.contentsOfDirectory(atPath: parent.path))
                == ["lock", "notes", living.url.lastPathComponent])
        _ = consume living
    }

    @Test func `a folder that somebody else made in our name is not used`() throws {
        let temporary = try TestFolder()
        try FileManager.default.createSymbolicLink(
            at: temporary.url.appending(path: "packtool-\(geteuid())"), withDestinationURL: temporary.url)
        #expect(throws: ArchiveError.self) { _ = try WorkFolder(in: temporary.url) }
    }
}
