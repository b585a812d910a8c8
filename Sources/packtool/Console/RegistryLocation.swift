package import Foundation
package import PackRegistryAPI
package import PackRegistryPostgres

/// The location of a registry: a folder on this machine, a database with a folder for the files, or a server's URL.
package enum RegistryLocation: Hashable, Sendable, CustomStringConvertible {
    case folder(URL)
    case database(PostgresAddress, files: URL)
    case server(URL)

    /// - Parameter text: A URL with `http` or `https`, or `postgres`, or else the path of a folder relative to `base`.
    /// - Parameter files: the folder for the files of a registry whose rows are in a database.
    package init(_ text: String, files: String?, relativeTo base: URL) throws(RegistryError) {
        func folder(_ path: String) -> URL {
            URL(filePath: path, directoryHint: .isDirectory, relativeTo: base).absoluteURL
        }
        if PostgresAddress.isOne(text) {
            let address = try PostgresAddress(text)
            guard let files else {
                throw RegistryError(
                    .invalid,
                    "\(address) has the rows of a registry; its files (view, objects, online key) are in a folder: give it "
                        + "with --files or PACKTOOL_FILES")
            }
            self = .database(address, files: folder(files))
            return
        }
        guard files == nil else {
            throw RegistryError(
                .invalid, "--files belongs to a registry in a database: --registry postgres://HOST/DATABASE --files DIR"
            )
        }
        if let separator = text.range(of: "://"),
            !["http", "https"].contains(text[..<separator.lowerBound].lowercased())
        {
            let scheme = String(text[..<separator.lowerBound])
            let near = NearName.of(scheme, among: ["https", "http", "postgres"]) ?? "https"
            // What stands before the host may be a password.
            let rest = text[separator.upperBound...].split(separator: "@", omittingEmptySubsequences: false).last ?? ""
            throw RegistryError(
                .invalid,
                "\"\(scheme)://\(rest)\" is not the URL of a registry, because \(scheme) is none of https, http and "
                    + "postgres: did you mean \(near)://\(rest)?")
        }
        guard text.lowercased().hasPrefix("http://") || text.lowercased().hasPrefix("https://") else {
            self = .folder(folder(text))
            return
        }
        guard let url = URL(string: text), url.host() != nil else {
            throw RegistryError(.invalid, "\"\(text)\" is not the URL of a registry")
        }
        self = .server(url)
    }

    /// Without secrets.
    package var description: String {
        switch self {
        case .folder(let folder): folder.path(percentEncoded: false)
        case .database(let address, _): "\(address)"
        case .server(let url): url.absoluteString
        }
    }
}
