package import PackFormat

/// The differences between two versions.
package struct ManifestDiff: Sendable {
    package struct Change: Hashable, Sendable {
        package enum Kind: String, Sendable {
            case added
            case removed
            case changed
            /// The same content under another path; `oldPath` is the previous one.
            case moved
        }

        package let kind: Kind
        package let path: PackagePath
        package let oldPath: PackagePath?
        /// The size in bytes before and after; 0 if there is no file.
        package let oldSize: Int
        package let newSize: Int

        package var growth: Int { newSize - oldSize }
    }

    /// The changes, sorted by path.
    package let changes: [Change]
    /// Fields besides the files: name, old and new value as text.
    package let fields: [(name: String, old: String, new: String)]
    /// The bytes of the objects that only the new version has.
    package let newObjectSize: Int
    /// The bytes of all files.
    package let oldSize: Int
    package let newSize: Int

    package init(from old: Manifest, to new: Manifest) {
        var changes: [Change] = []
        var gone = Dictionary(
            grouping: old.sortedPaths.filter { new.files[$0] == nil }, by: { old.files[$0]?.digest })
        for (path, file) in new.files {
            if let before = old.files[path] {
                guard before.digest != file.digest else { continue }
                changes.append(
                    Change(kind: .changed, path: path, oldPath: nil, oldSize: before.size, newSize: file.size))
            }
        }
        for path in new.sortedPaths where old.files[path] == nil {
            guard let file = new.files[path] else { continue }
            if var sources = gone[file.digest], !sources.isEmpty {
                let source = sources.removeFirst()
                gone[file.digest] = sources
                changes.append(
                    Change(kind: .moved, path: path, oldPath: source, oldSize: file.size, newSize: file.size))
            } else {
                changes.append(Change(kind: .added, path: path, oldPath: nil, oldSize: 0, newSize: file.size))
            }
        }
        for path in gone.values.joined() {
            changes.append(
                Change(kind: .removed, path: path, oldPath: nil, oldSize: old.files[path]?.size ?? 0, newSize: 0))
        }
        self.changes = changes.sorted { $0.path < $1.path }
        let known = Set(old.files.values.map(\.digest))
        var counted: Set<Digest> = []
        newObjectSize = new.files.values.reduce(0) { sum, file in
            known.contains(file.digest) || !counted.insert(file.digest).inserted ? sum : sum + file.size
        }
        oldSize = old.files.values.reduce(0) { $0 + $1.size }
        newSize = new.files.values.reduce(0) { $0 + $1.size }
        fields = Self.fields(of: old).compactMap { name, before in
            let after = Self.fields(of: new)[name] ?? ""
            return before == after ? nil : (name, before, after)
        }.sorted { $0.name < $1.name }
    }

    private static func fields(of manifest: Manifest) -> [String: String] {
        [
            "package": manifest.package.text, "version": manifest.version.description,
            "entry": manifest.entry?.text ?? "", "origins": manifest.origins.joined(separator: " "),
            "requires.app": manifest.requiredApp?.description ?? "", "spa": manifest.isSinglePage ? "true" : "false",
            "shared": manifest.shared.sorted { $0.key < $1.key }.map { "\($0) \($1.version)" }.joined(separator: ", "),
            "state": manifest.state?.text ?? "", "base": manifest.base?.text ?? "",
            "serviceWorker": manifest.wantsServiceWorker ? "true" : "false",
            "api": manifest.api.targets.sorted { $0.key < $1.key }.map { "\($0) \($1)" }.joined(separator: ", "),
            "headers": manifest.headers.sorted { $0.key < $1.key }.map { "\($0): \($1)" }.joined(separator: "; "),
        ]
    }
}
