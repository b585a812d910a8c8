import Foundation
package import PackFormat
package import PackRegistryAPI
import PackTrust

/// Makes an uploaded version public. The publisher's signed role must list its manifest.
package struct VersionPublication: RegistryChange {
    private let sealed: SealedManifest
    private let role: [UInt8]
    private let note: VersionNote

    /// - Parameter sealed: The uploaded manifest.
    package init(_ sealed: SealedManifest, role: [UInt8], note: VersionNote = .none) {
        self.sealed = sealed
        self.role = role
        self.note = note
    }

    private var manifest: Manifest { sealed.manifest }

    package var query: FactsQuery {
        var query = FactsQuery()
        query.roles = [ViewLayout.role(of: manifest.package)]
        query.versions = [sealed.name]
        query.manifests = [sealed.digest]
        for (bundle, pin) in manifest.shared {
            query.versions.insert(VersionName(bundle, pin.version))
            query.manifests.insert(pin.manifest)
        }
        query.objects = manifest.ownObjects
        return query
    }

    package func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws -> PublishOutcome {
        if try facts.isPublished(sealed) { return .unchanged }
        // Uploads that nobody published are removed after some days.
        guard facts.manifests[sealed.digest] != nil else {
            throw RegistryError.notUploaded(sealed.digest)
        }
        try SharedPins(of: manifest).check(
            published: { facts.versions[VersionName($0, $1.version)] }, content: { try facts.manifest($0) })
        guard facts.missingObjects.isEmpty else {
            throw RegistryError(
                .invalid,
                "\(facts.missingObjects.count) files of \(manifest.package) \(manifest.version) are not in the registry: "
                    + "upload the package again")
        }
        let policy = try RoleUpdatePolicy(manifest.package, facts, now: changes.time)
        let document = try policy.judge(
            role, change: .publish(manifest.version, manifest: sealed.digest, length: sealed.bytes.count))
        let check = ProvenanceCheck(
            sealed: sealed, authority: policy.authority, isRequired: policy.requiresProvenance)
        try check.check(note.provenance)
        changes.put(document, as: ViewLayout.role(of: manifest.package))
        changes.publications.append(
            ChangeSet.Publication(version: sealed.name, manifest: sealed.digest, note: note))
        changes.work.insert(manifest.package)
        changes.log(
            "publish", "\(manifest.package)@\(manifest.version)", "manifest \(sealed.digest)" + note.auditText)
        changes.signs = true
        return .published
    }
}

extension RegistryError {
    /// The refusal to publish what nobody uploaded, or what was removed since.
    static func notUploaded(_ manifest: Digest) -> RegistryError {
        RegistryError(.notFound, "nothing was uploaded with the manifest \(manifest): upload the package first")
    }
}

extension VersionNote {
    fileprivate var auditText: String {
        (commit.map { ", commit \($0)" } ?? "") + (text.map { ": \($0)" } ?? "")
    }
}

extension RoleUpdatePolicy {
    /// The keys that may sign a package's role, and the present role.
    init(_ package: PackageID, _ facts: RegistryFacts, now: Date) throws {
        let role = ViewLayout.role(of: package)
        let targets: SignedDocument<TargetsMetadata> = try facts.required(TopLevelRole.targets.rawValue)
        guard let authority = targets.body.authority(for: role) else {
            throw RegistryError(
                .forbidden,
                "the app's owner has not delegated the package \(package) to any key: packtool keys delegate "
                    + "\(package), where the owner's key is")
        }
        self.init(
            package: package, authority: authority, current: try facts.newest(role), now: now,
            requiresProvenance: targets.body.requiresProvenance)
    }
}
