import PackFormat
import PackJSON

/// The hash by which CodePush's clients know a version: of its paths and the SHA-256 of its files.
///
/// The list has one text `PATH:SHA256` for each file, in the order of UTF-16 code units as JavaScript and Java sort,
/// and is written as a JSON array without white space.
enum CodePushHash {
    /// Files that the clients leave out, in every folder.
    private static let ignored: Set = [".codepushrelease", ".DS_Store"]

    static func hash(of manifest: Manifest, in folder: CodePushKey.Folder) -> String {
        let entries = manifest.files.compactMap { path, file -> String? in
            let name = path.text.split(separator: "/").last.map(String.init) ?? ""
            return ignored.contains(name) ? nil : "\(folder.rawValue)/\(path.text):\(file.digest.hex)"
        }.sorted { $0.utf16.lexicographicallyPrecedes($1.utf16) }
        let text = JSONValue.array(entries.map { .string($0) }).compactText
        return Digest(of: Array(text.utf8)).hex
    }
}
