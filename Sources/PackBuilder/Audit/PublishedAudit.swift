package import PackFormat

/// The findings that a build would have for a published version, without building it. Its pages and style sheets are
/// read, and checked against its list of files.
///
///     var audit = PublishedAudit(manifest)
///     for page in audit.pages { audit.read(bytes(of: page), of: page.digest) }
///     for script in audit.scripts where !audit.canConfirm { audit.read(bytes(of: script), of: script.digest) }
///     audit.keys   // of the findings
package struct PublishedAudit {
    private let manifest: Manifest
    private var references: [Digest: [Reference]] = [:]
    /// Whether what was read can call `packtool.confirm()`.
    package private(set) var canConfirm = false

    package init(_ manifest: Manifest) {
        self.manifest = manifest
    }

    /// The files that refer to others; each content occurs once.
    package var pages: [Object] { objects { ReferenceFormat(fileExtension: $0.fileExtension) != nil } }

    /// What else may call `packtool.confirm()`, the smallest first.
    package var scripts: [Object] {
        objects { ReferenceFormat(fileExtension: $0.fileExtension) == nil && ContentAudit.mayConfirm($0) }
            .sorted { $0.size < $1.size }
    }

    private func objects(where isWanted: (PackagePath) -> Bool) -> [Object] {
        var seen: Set<Digest> = []
        return manifest.sortedPaths.compactMap { path in
            guard isWanted(path), let file = manifest.files[path], seen.insert(file.digest).inserted else { return nil }
            return Object(digest: file.digest, size: file.size)
        }
    }

    package mutating func read(_ bytes: [UInt8], of digest: Digest) {
        guard let path = manifest.files.first(where: { $0.value.digest == digest })?.key else { return }
        if ContentAudit.mayConfirm(path), bytes.withUnsafeBytes(ContentAudit.canConfirm) { canConfirm = true }
        guard let format = ReferenceFormat(fileExtension: path.fileExtension) else { return }
        references[digest] = bytes.withUnsafeBytes { format.references(in: $0) }
    }

    /// See ``Finding/key``.
    package var keys: Set<String> {
        var audit = ReferenceAudit(
            package: manifest.package, paths: manifest.files.keys, origins: manifest.origins, base: manifest.base,
            api: manifest.api, isSinglePage: manifest.isSinglePage, folder: "", entry: manifest.entry)
        var keys: Set<String> = []
        // A version whose scripts were not read is not said to confirm.
        if !canConfirm { keys.insert(Finding.noConfirm(package: manifest.package, file: "").key) }
        for (path, file) in manifest.files {
            if let finding = RiskyName.finding(path, package: manifest.package, folder: "") { keys.insert(finding.key) }
            for finding in audit.findings(references[file.digest] ?? [], in: path) { keys.insert(finding.key) }
        }
        return keys
    }
}
