import ArgumentParser
import PackRegistryAPI

/// What `packtool release` takes: a package with its version, or a file with a set.
enum ReleaseSubject: ExpressibleByArgument {
    case package(PackageArgument)
    case file(String)

    init?(argument: String) {
        if let package = PackageArgument(argument: argument) {
            self = .package(package)
        } else if argument.hasSuffix(".json") || argument.hasSuffix(".jsonc") {
            self = .file(argument)
        } else {
            return nil
        }
    }

    var file: String? { if case .file(let path) = self { path } else { nil } }

    var package: PackageArgument? { if case .package(let package) = self { package } else { nil } }
}

extension ReleaseSetFile {
    /// - Throws: ``CommandFailure`` for a file that is too large or cannot be read, ``RegistryError`` with the line of a mistake.
    init(path: String) throws {
        let bytes = try WrittenFile.bytes(path, as: "set", maximumByteCount: Self.maximumByteCount)
        try self.init(parsing: bytes, named: path)
    }
}
