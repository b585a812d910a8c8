import Foundation
import PackFormat

@testable import PackImporter

/// A folder of an export, removed with the fixture. The readers of lists do not open zips, so these are empty files.
final class ExportFixture {
    let url: URL

    init(_ files: [String: String] = [:], zips: [String] = []) throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "packtool-export-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try write(files)
        try write(Dictionary(zips.map { ($0, "") }, uniquingKeysWith: { $1 }))
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ files: [String: String]) throws {
        for (path, text) in files {
            let file = url.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }

    func read(_ system: ExportSystem, skipsMissing: Bool = false) throws(ImportError) -> Export {
        try ExportReader(folder: url, system: system, skipsMissing: skipsMissing).read()
    }

    /// The fault of a reading that must fail.
    func fault(_ system: ExportSystem) -> String {
        do {
            let export = try read(system)
            return "it was read: \(export.releases.map(\.summary))"
        } catch {
            return "\(error)"
        }
    }
}

extension ExportedRelease {
    /// Everything that decides, on one line.
    var summary: String {
        let words = [
            channel.map { "on \($0)" }, requiredApp.map { "app \($0)" }, share == .whole ? nil : "\(share)",
            isMandatory ? "mandatory" : nil, isDisabled ? "disabled" : nil, "from \(file.path)",
        ]
        return ([version.description] + words.compactMap(\.self)).joined(separator: " ")
    }
}
