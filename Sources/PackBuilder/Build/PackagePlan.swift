import Foundation
import PackArchive
import PackFormat

/// A dist whose files are read, hashed and compressed: everything that is known before the content of the zip is
/// decided.
struct PackagePlan {
    let settings: PackageSettings
    let dist: ScannedDist
    let contents: [PackagePath: PreparedContent]
    /// By file, for pages and style sheets.
    let references: [PackagePath: [Reference]]
    let entry: PackagePath
    let requiredApp: VersionRange?
    let base: BasePath?
    /// Set where nobody said the base.
    let guessedBase: BasePath?
    /// Whether a secret is a warning only.
    let allowsSecrets: Bool

    var id: PackageID { settings.id }

    /// What was taken for granted.
    var note: String? {
        guessedBase.map { base in
            "base \(base): the entry page of \(id) loads its files from there, and the package has them without it. "
                + "Say \"base\": \"\(base)\" in packtool.json, or --base / where that is wrong"
        }
    }

    /// Everything that is wrong with it, at the project's levels.
    func findings() throws -> [Finding] {
        let found = nameFindings + entryFindings + referenceFindings + budgetFindings
        return (found + contentFindings(try ContentAudit.look(into: dist.files))).compactMap { finding in
            let place = finding.file?.utf8.dropFirst(folder.utf8.count + 1)
            let path = place.flatMap { String($0) }.flatMap { try? PackagePath($0) }
            return settings.configuration.audit.judge(finding, at: path)
        }
    }

    /// The manifest, with the shared contents taken from a bundle.
    func manifest(shared: Set<Digest>, bundle: (id: PackageID, pin: VersionID)?) throws -> Manifest {
        var files: [PackagePath: Manifest.File] = [:]
        files.reserveCapacity(contents.count)
        var usesBundle = false
        for (path, content) in contents {
            let from = shared.contains(content.object.digest) ? bundle?.id : nil
            usesBundle = usesBundle || from != nil
            files[path] = Manifest.File(digest: content.object.digest, size: content.object.size, from: from)
        }
        var pins: [PackageID: VersionID] = [:]
        if usesBundle, let bundle { pins[bundle.id] = bundle.pin }
        let configuration = settings.configuration
        return try Manifest(
            package: id, version: settings.version, entry: entry, files: files, shared: pins,
            origins: configuration.origins, requiredApp: requiredApp, isSinglePage: configuration.isSinglePage,
            headers: configuration.headers, base: base, wantsServiceWorker: configuration.wantsServiceWorker,
            api: configuration.api, state: configuration.state)
    }

    private var folder: String { dist.folder.relativePath }

    private var nameFindings: [Finding] {
        var findings = dist.invalidNames.map { name in
            Finding(
                .error, .invalidName, package: id, file: "\(folder)/\(name.path)",
                "the file's name is not allowed: \(name.reason); rename the file")
        }
        findings += contents.keys.compactMap { RiskyName.finding($0, package: id, folder: folder) }
        guard PathCollisions.first(in: contents.keys) != nil else {
            return findings.sorted { ($0.file ?? "") < ($1.file ?? "") }
        }
        for group in Dictionary(grouping: contents.keys, by: \.collisionKey).values where group.count > 1 {
            let names = group.sorted()
            let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
            findings.append(
                Finding(
                    .error, .collision, package: id, file: "\(folder)/\(names[0])",
                    "\(list) differ only in upper and lower case or Unicode form, and are one file on many devices"))
        }
        return findings.sorted { ($0.file ?? "") < ($1.file ?? "") }
    }

    private var entryFindings: [Finding] {
        guard contents[entry] == nil else { return [] }
        let key = entry.collisionKey
        let hint =
            contents.keys.filter { $0.collisionKey == key }.min().map { "; there is \"\($0)\"" }
            ?? contents.keys.filter { $0.fileExtension == "html" }.min().map {
                "; say which page opens, such as --entry \($0)"
            } ?? ""
        return [Finding(.error, .missingEntry, package: id, file: folder, "there is no entry page \"\(entry)\"\(hint)")]
    }

    private var referenceFindings: [Finding] {
        if references.isEmpty { return [] }
        var audit = ReferenceAudit(
            package: id, paths: contents.keys, origins: settings.configuration.origins,
            base: base, api: settings.configuration.api, isSinglePage: settings.configuration.isSinglePage,
            folder: folder, entry: entry)
        return references.keys.sorted().flatMap { audit.findings(references[$0] ?? [], in: $0) }
    }

    private func contentFindings(_ found: ContentAudit.Found) -> [Finding] {
        var findings = found.secrets.map { place in
            Finding(
                allowsSecrets ? .warning : .error, .secret, package: id, file: "\(folder)/\(place.path)",
                line: place.line > 0 ? place.line : nil,
                "the file contains \(place.what), and every device would get it: remove it, leave the file out with "
                    + ".packignore, or say --allow-secrets")
        }
        if !settings.configuration.wantsServiceWorker {
            findings += found.workers.map { place in
                Finding(
                    .warning, .serviceWorker, package: id, file: "\(folder)/\(place.path)", line: place.line,
                    "registers a service worker, which devices refuse: say \"serviceWorker\": true in packtool.json, "
                        + "or remove the registration")
            }
        }
        if !found.canConfirm, contents[entry] != nil {
            findings.append(.noConfirm(package: id, file: "\(folder)/\(entry)"))
        }
        return findings
    }

    private var budgetFindings: [Finding] {
        let budget = settings.configuration.budget
        if budget == PackConfiguration.Budget() { return [] }
        var findings: [Finding] = []
        let total = contents.values.reduce(0) { $0 + $1.object.size }
        if let limit = budget.total, total > limit {
            findings.append(
                Finding(
                    .error, .budget, package: id,
                    "the files have \(ByteCount.text(total)) in all, \(ByteCount.text(total - limit)) over the budget "
                        + "of \(ByteCount.text(limit)): raise it in \(PackConfiguration.fileName), or keep files out with .packignore"
                ))
        }
        let patterns = budget.files.compactMap { item in
            IgnorePattern(line: item.pattern).map { (PathRules([$0]), item.limit, " for \(item.pattern)") }
        }
        for (path, content) in contents.sorted(by: { $0.key < $1.key }) {
            var limits = patterns.filter { $0.0.selects(path) }.map { (limit: $0.1, name: $0.2) }
            if let file = budget.file { limits.append((file, "")) }
            guard let tightest = limits.min(by: { $0.limit < $1.limit }), content.object.size > tightest.limit else {
                continue
            }
            let over = ByteCount.text(content.object.size - tightest.limit)
            findings.append(
                Finding(
                    .error, .budget, package: id, file: "\(folder)/\(path)",
                    "the file has \(ByteCount.text(content.object.size)), \(over) over the budget\(tightest.name) of "
                        + "\(ByteCount.text(tightest.limit)) in \(PackConfiguration.fileName)"))
        }
        return findings
    }
}
