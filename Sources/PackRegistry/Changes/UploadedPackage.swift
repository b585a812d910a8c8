package import PackFormat
import PackRegistryAPI

/// A package whose objects are all stored. Its manifest is recorded, and becomes public only when it is published.
package struct UploadedPackage: RegistryChange {
    private let upload: SealedManifest

    package init(_ manifest: SealedManifest) {
        upload = manifest
    }

    package var query: FactsQuery {
        var query = FactsQuery.unsigned
        query.versions = [upload.name]
        return query
    }

    /// - Throws: ``RegistryError`` of the kind `.conflict` if the version is published with other content.
    package func check(_ facts: RegistryFacts) throws {
        _ = try facts.isPublished(upload)
    }

    package func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws {
        changes.uploads.append(upload)
    }
}

extension RegistryFacts {
    /// A version, once published, never changes.
    /// - Returns: whether it is published already, with this content.
    /// - Throws: ``RegistryError`` of the kind `.conflict` where it has other content, or was withdrawn.
    func isPublished(_ sealed: SealedManifest) throws -> Bool {
        let name = sealed.name
        guard let published = versions[name] else { return false }
        guard published.manifest == sealed.digest else {
            throw RegistryError(
                .conflict,
                "\(name) is published already with other content (its manifest is \(published.manifest), "
                    + "yours is \(sealed.digest)): a version never changes, so give yours a new version number")
        }
        if let reason = published.withdrawn {
            throw RegistryError(.conflict, "\(name) was withdrawn (\(reason)): publish a new version")
        }
        return true
    }
}
