package import Foundation
package import PackFormat

/// A package zip in which every byte matches its `pack.json`.
///
///     let package = try PackageArchive.open(url)
///     print(package.manifest.version, package.sealed.digest)
///     try package.extractObjects { object in store.needs(object) ? store.sink(for: object) : nil }
package struct PackageArchive: Sendable {
    package let archive: ValidatedArchive
    /// `pack.json`, parsed and with its bytes.
    package let sealed: SealedManifest
    /// The manifest's own files that are not in the zip; empty unless `allowsMissing` is set.
    package let missing: [PackagePath]

    package var manifest: Manifest { sealed.manifest }

    /// Opens a package and verifies the size and SHA-256 of every file in it.
    ///
    /// - Parameter allowsMissing: accepts a zip from which own files are left out (the upload form: the registry has
    ///   them already).
    /// - Throws: ``ArchiveError``
    package static func open(
        _ file: URL, limits: ArchiveLimits = .standard, allowsMissing: Bool = false
    ) throws -> PackageArchive {
        let archive = try ValidatedArchive(file: file, limits: limits)
        let package = try PackageArchive(archive, allowsMissing: allowsMissing)
        try archive.forEachFile { entry in
            guard let expected = package.manifest.files[entry.path] else { return nil }
            return VerifyingSink(entry: entry, expected: expected.digest, archive: file.path, next: nil)
        }
        return package
    }

    /// Whether a file is a valid zip with a manifest. It verifies nothing inside.
    package static func looksLikeOne(_ file: URL) -> Bool {
        (try? ValidatedArchive(file: file))?.entries.contains { $0.path.text == Manifest.fileName } ?? false
    }

    private init(_ archive: ValidatedArchive, allowsMissing: Bool) throws {
        let name = archive.file.path
        do {
            let path = try PackagePath(Manifest.fileName)
            guard let bytes = try archive.bytes(of: path, maximumByteCount: Manifest.maximumByteCount) else {
                throw ArchiveError(.manifestMissing, file: name)
            }
            sealed = try SealedManifest(parsing: bytes)
            guard sealed.manifest.bytes == bytes else { throw ArchiveError(.manifestNotCanonical, file: name) }
        } catch let error as FormatError {
            throw ArchiveError(.manifestInvalid("\(error)"), file: name)
        }
        self.archive = archive
        if let path = archive.unmarkedName {
            throw ArchiveError(.nameNotMarkedUTF8, file: name, entry: path.text)
        }
        missing = try Self.missing(of: sealed.manifest, in: archive)
        if !allowsMissing, let first = missing.first {
            throw ArchiveError(.fileMissing, file: name, entry: first.text)
        }
    }

    /// Judges the list of files against the manifest's and gives the own files that are not there.
    private static func missing(of manifest: Manifest, in archive: ValidatedArchive) throws -> [PackagePath] {
        var present: Set<PackagePath> = []
        for entry in archive.entries where entry.path.text != Manifest.fileName {
            func fault(_ fault: ArchiveFault) -> ArchiveError {
                ArchiveError(fault, file: archive.file.path, entry: entry.path.text)
            }
            guard let listed = manifest.files[entry.path] else { throw fault(.fileNotListed) }
            if let bundle = listed.from { throw fault(.fileNotOwn(bundle: bundle.text)) }
            guard listed.size == entry.size else {
                throw fault(.wrongSize(expected: listed.size, found: entry.size))
            }
            present.insert(entry.path)
        }
        return manifest.sortedPaths.filter { manifest.files[$0]?.from == nil && !present.contains($0) }
    }

    /// Streams each object in the zip once, in the order of its first path. The content is verified again meanwhile,
    /// and a sink's `finish` is called only for correct bytes.
    /// - Parameter makeSink: Returns nil for an object to skip.
    package func extractObjects(into makeSink: (Object) throws -> (any ContentSink)?) throws {
        var seen: Set<Digest> = []
        try archive.forEachFile { entry in
            guard let file = manifest.files[entry.path], seen.insert(file.digest).inserted,
                let sink = try makeSink(Object(digest: file.digest, size: file.size))
            else { return nil }
            return VerifyingSink(entry: entry, expected: file.digest, archive: archive.file.path, next: sink)
        }
    }
}

/// Hashes the bytes that pass, and lets the next sink finish only if the digest is correct.
private struct VerifyingSink: ContentSink {
    let entry: ValidatedArchive.Entry
    let expected: Digest
    let archive: String
    var next: (any ContentSink)?
    private var hash = ContentHash()

    init(entry: ValidatedArchive.Entry, expected: Digest, archive: String, next: (any ContentSink)?) {
        self.entry = entry
        self.expected = expected
        self.archive = archive
        self.next = next
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
        hash.update(bytes)
        try next?.write(bytes)
    }

    mutating func finish() throws {
        let found = hash.finish()
        guard found == expected else {
            throw ArchiveError(
                .wrongDigest(expected: expected.hex, found: found.hex), file: archive, entry: entry.path.text)
        }
        try next?.finish()
    }
}
