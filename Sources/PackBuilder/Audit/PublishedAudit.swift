package import PackFormat

/// The findings that a build would have for a published version, without building it. Its pages and style sheets are
/// read, and checked against its list of files.
///
///     var audit = PublishedAudit(manifest)
///     for page in audit.pages { audit.read(bytes(of: page), of: page.digest) }
///     audit.keys   // of the findings
package struct PublishedAudit {
    private let manifest: Manifest
    private var references: [Digest: [Reference]] = [:]

    package init(_ manifest: Manifest) {
        self.manifest = manifest
    }

    /// The files that refer to others; each content occurs once.
    package var pages: [Object] {
        var seen: Set<Digest> = []
        return manifest.sortedPaths.compactMap { path in
            guard ReferenceFormat(fileExtension: path.fileExtension) != nil, let file = manifest.files[path],
                seen.insert(file.digest).inserted
            else { return nil }
            return Object(digest: file.digest, size: file.size)
        }
    }

    package mutating func read(_ bytes: [UInt8], of digest: Digest) {
        let path = manifest.files.first { $0.value.digest == digest }?.key
        guard let format = path.flatMap({ ReferenceFormat(fileExtension: $0.fileExtension) }) else { return }
        references[digest] = bytes.withUnsafeBytes { format.references(in: $0) }
    }

    /// See ``Finding/key``.
    package var keys: Set<String> {
        var audit = ReferenceAudit(
            package: manifest.package, paths: manifest.files.keys, origins: manifest.origins, base: manifest.base,
            api: manifest.api, isSinglePage: manifest.isSinglePage, folder: "", entry: manifest.entry)
        var keys: Set<String> = []
        for (path, file) in manifest.files {
            if let finding = RiskyName.finding(path, package: manifest.package, folder: "") { keys.insert(finding.key) }
            for finding in audit.findings(references[file.digest] ?? [], in: path) { keys.insert(finding.key) }
        }
        return keys
    }
}
