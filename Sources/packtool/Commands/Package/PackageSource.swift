import Foundation
import PackArchive
import PackFormat
import PackRegistry

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

    /// Gives the zip to `body`; one from the registry is fetched to a temporary file that goes afterwards.
    func withArchive<Result>(
        registry options: RegistryOptions, console: Console, _ body: (URL) async throws -> Result
    ) async throws -> Result {
        switch place {
        case .file(let file): return try await body(file)
        case .registry(let package, let version):
            let session = try RegistrySession(options, console: console)
            let folder = try WorkFolder()
            let path = ViewLayout.archive(package, version)
            let file = folder.url.appending(path: "\(package)-\(version).zip")
            guard try await session.registry.copyViewFile(path, to: file) else {
                throw CommandFailure("the registry has no \(package)@\(version): packtool status lists what it has")
            }
            let result = try await body(file)
            _ = consume folder
            return result
        }
    }
}
