import Foundation
import PackArchive
import PackFormat
import PackRegistryAPI

/// A package as an argument names it: a zip file, or `PACKAGE@VERSION` in the registry.
struct PackageSource {
    private enum Place {
        case file(URL)
        case registry(PackageID, SemanticVersion)
    }

    private let place: Place
    let name: String

    init(_ argument: String) throws {
        name = argument
        let file = URL(filePath: argument)
        if FileManager.default.fileExists(atPath: argument) || argument.hasSuffix(".zip") {
            place = .file(file)
            return
        }
        let parts = argument.split(separator: "@", maxSplits: 1)
        guard parts.count == 2 else {
            throw CommandFailure("\(argument) is no file; give a zip or PACKAGE@VERSION")
        }
        place = .registry(try PackageID(String(parts[0])), try SemanticVersion(String(parts[1])))
    }

    /// The version in the registry; nil for a file.
    var version: VersionName? {
        guard case .registry(let package, let version) = place else { return nil }
        return VersionName(package, version)
    }

    /// Gives the zip to `body`, with the registry that has it; one from the registry is fetched to a temporary file that goes afterwards.
    func withArchive<Result>(
        registry options: RegistryOptions, console: Console, _ body: (URL, RegistrySession?) async throws -> Result
    ) async throws -> Result {
        switch place {
        case .file(let file): return try await body(file, nil)
        case .registry(let package, let version):
            let session = try await RegistrySession(options, console: console)
            let folder = try WorkFolder()
            let path = ViewPath.archive(package, version)
            let file = folder.url.appending(path: "\(package)-\(version).zip")
            try await fetch(path, to: file, from: session, package, version, console)
            let result = try await body(file, session)
            _ = consume folder
            return result
        }
    }

    /// The zip is made after a publication: in a folder it is made now, of a server it is waited for.
    private func fetch(
        _ path: ViewPath, to file: URL, from session: RegistrySession, _ package: PackageID, _ version: SemanticVersion,
        _ console: Console
    ) async throws {
        if try await session.registry.copyViewFile(path, to: file) { return }
        let versions = try await session.registry.overview(of: [package]).versions[package] ?? []
        guard versions.contains(where: { $0.version == version }) else {
            let names = versions.map(\.version.description).joined(separator: ", ")
            throw CommandFailure(
                "the registry has no \(package)@\(version) (there is: \(names.isEmpty ? "no version of it" : names))",
                kind: "notFound")
        }
        console.note("the zip of \(package) \(version) is still being made")
        await session.finish(console: console)
        for _ in 0..<Self.maximumWait {
            if try await session.registry.copyViewFile(path, to: file) { return }
            try await Task.sleep(for: .seconds(1))
        }
        throw CommandFailure(
            "\(package) \(version) is published, and the registry has not made its zip within \(Self.maximumWait) s: try again "
                + "later", kind: "busy")
    }

    /// Seconds that a server gets to make a zip: it makes the patches that devices wait for first.
    private static let maximumWait = 300
}
