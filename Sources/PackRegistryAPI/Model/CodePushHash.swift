package import PackFormat
import PackJSON

/// The hash by which CodePush's clients know a version: of its paths and the SHA-256 of its files.
///
/// The list has one text `PATH:SHA256` for each file, in the order of UTF-16 code units as JavaScript and Java sort,
/// and is written as a JSON array without white space.
package enum CodePushHash {
    /// Files that the clients leave out, in every folder.
    package static let ignored: Set = [".codepushrelease", ".DS_Store"]

    /// - Parameter folder: the one that the client's zips have at their root.
    package static func hash(of manifest: Manifest, in folder: String) -> String {
        hash(of: manifest.files.map { ("\(folder)/\($0.text)", $1.digest) })
    }

    /// - Parameter files: with their paths in a client's zip.
    package static func hash(of files: [(path: String, digest: Digest)], ignoring ignored: Set<String> = ignored)
        -> String
    {
        let entries = files.compactMap { path, digest -> String? in
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            return ignored.contains(name) ? nil : "\(path):\(digest.hex)"
        }.sorted { $0.utf16.lexicographicallyPrecedes($1.utf16) }
        let text = JSONValue.array(entries.map { .string($0) }).compactText
        return Digest(of: Array(text.utf8)).hex
    }
}
