import Foundation
import PackArchive
import PackFormat

@testable import PackBuilder

/// A project folder built in code, removed at the end.
final class Project {
    let url: URL

    init(_ files: [String: String] = [:]) throws {
        url = FileManager.default.temporaryDirectory.appending(path: "packtool-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for (path, text) in files { try write(text, to: path) }
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func callAsFunction(_ path: String) -> URL { url.appending(path: path) }

    func write(_ text: String, to path: String) throws {
        let file = self(path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func listing(_ path: String = "") throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: self(path).path).sorted()
    }

    /// A request for dists of this project, with ids and versions set, and the output in `packages`.
    func request(
        _ dists: String..., change: (inout BuildRequest) throws -> Void = { _ in }
    ) throws -> BuildRequest {
        var request = BuildRequest(dists: dists.map { self($0) })
        request.packages = try dists.map { try PackageID($0.replacingOccurrences(of: "/", with: "-")) }
        request.versions = [try SemanticVersion("1.0.0")]
        request.out = self("packages")
        try change(&request)
        return request
    }

    func build(_ dists: String..., change: (inout BuildRequest) throws -> Void = { _ in }) throws -> BuildReport {
        var request = BuildRequest(dists: dists.map { self($0) })
        request.packages = try dists.map { try PackageID($0.replacingOccurrences(of: "/", with: "-")) }
        request.versions = [try SemanticVersion("1.0.0")]
        request.out = self("packages")
        try change(&request)
        return try Builder(request).build()
    }

    func paths(_ package: BuiltPackage) throws -> [String] {
        try PackageArchive.open(package.archive).archive.entries.map(\.path.text)
    }
}
