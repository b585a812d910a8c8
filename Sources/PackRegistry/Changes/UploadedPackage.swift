import PackFormat
import PackRegistryAPI

/// A package whose objects are all stored. Its manifest is recorded, and becomes public only when it is published.
package struct UploadedPackage: RegistryChange {
    private let upload: ChangeSet.Upload

    package init(_ archive: any UploadedArchive) {
        upload = ChangeSet.Upload(
            manifest: archive.manifest, bytes: archive.manifestBytes, digest: archive.manifestDigest)
    }

    package var query: FactsQuery {
        var query = FactsQuery.unsigned
        query.versions = [FactsQuery.Version(upload.manifest.package, upload.manifest.version)]
        return query
    }

    /// - Throws: ``RegistryError`` of the kind `.conflict` if the version is published with other content.
    package func check(_ facts: RegistryFacts) throws {
        _ = try facts.isPublished(upload.manifest, upload.digest)
    }

    package func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws {
        changes.uploads.append(upload)
    }
}

extension RegistryFacts {
    /// A version, once published, never changes.
    /// - Returns: whether it is published already, with this content.
    /// - Throws: ``RegistryError`` of the kind `.conflict` where it has other content, or was withdrawn.
    func isPublished(_ manifest: Manifest, _ digest: Digest) throws -> Bool {
        guard let published = versions[FactsQuery.Version(manifest.package, manifest.version)] else { return false }
        let name = "\(manifest.package) \(manifest.version)"
        guard published.manifest == digest else {
            throw RegistryError(
                .conflict,
                "\(name) is published already with other content (its manifest is \(published.manifest), "
                    + "yours is \(digest)): a version never changes, so give yours a new version number")
        }
        if let reason = published.withdrawn {
            throw RegistryError(.conflict, "\(name) was withdrawn (\(reason)): publish a new version")
        }
        return true
    }
}
