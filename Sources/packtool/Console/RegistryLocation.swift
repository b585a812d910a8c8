package import Foundation
package import PackRegistryAPI
package import PackRegistryPostgres
package import PackRegistryS3

/// The location of a registry: a folder on this machine, a database with a folder, each perhaps with its files in S3-compatible storage;
/// or a server's URL.
package enum RegistryLocation: Hashable, Sendable, CustomStringConvertible {
    case folder(URL, storage: S3Address?)
    case database(PostgresAddress, files: URL, storage: S3Address?)
    case server(URL)

    /// What a command is given besides the registry.
    package struct Parts: Sendable {
        /// The folder for the files of a registry whose rows are in a database.
        package var files: String?
        /// The address of S3-compatible storage for the files.
        package var storage: String?
        /// The folder for the copies of such files, where no other is given.
        package var usualFiles: URL?

        package init(files: String? = nil, storage: String? = nil, usualFiles: URL? = nil) {
            self.files = files
            self.storage = storage
            self.usualFiles = usualFiles
        }
    }

    /// - Parameter text: A URL with `http` or `https`, or `postgres`, or else the path of a folder relative to `base`.
    package init(_ text: String, _ parts: Parts = Parts(), relativeTo base: URL) throws(RegistryError) {
        func folder(_ path: String) -> URL {
            URL(filePath: path, directoryHint: .isDirectory, relativeTo: base).absoluteURL
        }
        let storage = try parts.storage.map { text throws(RegistryError) in try Self.storage(text) }
        if PostgresAddress.isOne(text) {
            let address = try PostgresAddress(text)
            let usual = storage == nil ? nil : parts.usualFiles
            guard let files = parts.files.map(folder) ?? usual else {
                throw RegistryError(
                    .invalid,
                    "\(address) has the rows of a registry; its files (view, objects, online key) are elsewhere: give their folder "
                        + "with --files or PACKTOOL_FILES, or their bucket with --storage s3://BUCKET/PREFIX or PACKTOOL_STORAGE"
                )
            }
            self = .database(address, files: files, storage: storage)
            return
        }
        guard parts.files == nil else {
            throw RegistryError(
                .invalid, "--files belongs to a registry in a database: --registry postgres://HOST/DATABASE --files DIR"
            )
        }
        try Self.checkScheme(of: text)
        guard text.lowercased().hasPrefix("http://") || text.lowercased().hasPrefix("https://") else {
            self = .folder(folder(text), storage: storage)
            return
        }
        guard let url = URL(string: text), url.host() != nil else {
            throw RegistryError(.invalid, "\"\(text)\" is not the URL of a registry")
        }
        guard storage == nil else {
            throw RegistryError(
                .invalid,
                "\(url) is a server, which knows where its files are: leave out --storage, or give the registry's folder or "
                    + "database with --registry")
        }
        self = .server(url)
    }

    /// Whether a text is the URL of a server, which has files of its own.
    package static func isServer(_ text: String) -> Bool {
        ["http://", "https://"].contains { text.lowercased().hasPrefix($0) }
    }

    private static func storage(_ text: String) throws(RegistryError) -> S3Address {
        guard S3Address.isOne(text) else {
            throw RegistryError(
                .invalid,
                "--storage (or PACKTOOL_STORAGE) names a bucket: s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION. A "
                    + "folder for files is --files")
        }
        return try S3Address(text)
    }

    private static func checkScheme(of text: String) throws(RegistryError) {
        guard let separator = text.range(of: "://"), !isServer(text) else { return }
        if S3Address.isOne(text) {
            throw RegistryError(
                .invalid,
                "a bucket has the files of a registry and not its rows: give it with --storage, and the rows with --registry "
                    + "postgres://HOST/DATABASE (or a folder, for one server)")
        }
        let scheme = String(text[..<separator.lowerBound])
        let near = NearName.of(scheme, among: ["https", "http", "postgres"]) ?? "https"
        // What stands before the host may be a password.
        let rest = text[separator.upperBound...].split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        throw RegistryError(
            .invalid,
            "\"\(scheme)://\(rest)\" is not the URL of a registry, because \(scheme) is none of https, http and "
                + "postgres: did you mean \(near)://\(rest)?")
    }

    /// Without secrets.
    package var description: String {
        switch self {
        case .folder(let folder, _): folder.path(percentEncoded: false)
        case .database(let address, _, _): "\(address)"
        case .server(let url): url.absoluteString
        }
    }

    /// Where the files are, if they are in no folder.
    package var storage: S3Address? {
        switch self {
        case .folder(_, let storage), .database(_, _, let storage): storage
        case .server: nil
        }
    }
}
