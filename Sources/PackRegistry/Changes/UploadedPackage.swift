package import PackFormat
import PackRegistryAPI

/// Objects that were there when an upload began were removed before it was over.
package struct RemovedObjects: Error {}

/// A package whose objects are all stored. Its manifest is recorded, and becomes public only when it is published.
package struct UploadedPackage: RegistryChange {
    private let upload: SealedManifest
    private let known: [Object]

    /// - Parameter known: the objects that were recorded before the others were stored.
    package init(_ manifest: SealedManifest, known: [Object] = []) {
        upload = manifest
        self.known = known
    }

    package var query: FactsQuery {
        var query = FactsQuery.unsigned
        query.versions = [upload.name]
        query.objects = known
        return query
    }

    /// - Throws: ``RegistryError`` of the kind `.conflict` if the version is published with other content.
    package func check(_ facts: RegistryFacts) throws {
        _ = try facts.isPublished(upload)
    }

    /// - Throws: ``RemovedObjects`` where one was removed since it was known: the package must be stored once more.
    package func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws {
        guard facts.missingObjects.isEmpty else { throw RemovedObjects() }
        changes.uploads.append(upload)
        changes.presumed += known
        // A version whose files were removed to save space has them again.
        guard try facts.isPublished(upload), facts.versions[upload.name]?.pruned != nil else { return }
        changes.restorations.append(upload.name)
        changes.work.insert(upload.manifest.package)
        changes.log("restore", "\(upload.name.package)@\(upload.name.version)", "its files are there again")
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
