import Foundation
import PackArchive
package import PackFormat
import Synchronization

/// Turns dist folders into packages and a shared bundle.
///
///     var request = BuildRequest(dists: [URL(filePath: "dist")])
///     request.cache = .standard()
///     let report = try Builder(request).build()
///     for package in report.packages { print(package.archive.path, package.archiveSize) }
///
/// Workflow: settings → scan (`ScannedDist`) → read, hash and compress each file once (`PackagePlan`) → audit → split
/// → write (`BuiltPackage`). Nothing appears in the output folder before everything is written. If the cache turns
/// out to be damaged, everything from reading on is repeated once.
package struct Builder: Sendable {
    package enum Phase: String, Sendable {
        case compressing
        case writing
    }

    private let request: BuildRequest
    private let progress: @Sendable (Phase, _ done: Int, _ total: Int) -> Void

    package init(
        _ request: BuildRequest,
        progress: @escaping @Sendable (Phase, _ done: Int, _ total: Int) -> Void = { _, _, _ in }
    ) {
        self.request = request
        self.progress = progress
    }

    /// - Throws: ``BuildError``, `ArchiveError`, `FormatError`
    package func build() throws -> BuildReport {
        let settings = try settings()
        var notes = settings.flatMap(\.notes)
        // What concerns all packages comes from the first one's configuration.
        guard let common = settings.first?.configuration else { throw BuildError.noDist }
        let project = try project(settings, common)
        let out = request.out ?? project.outFolder
        if request.out == nil, project.file == nil { try refuseInside(out) }
        // Also where packages go, or went, otherwise: none is part of the next one.
        let excluded = [out, project.outFolder] + settings.map(\.configuration.outFolder)
        let dists = try zip(request.dists, settings).map { dist, settings in
            try DistScanner(rules: settings.rules, limits: request.limits, excluding: excluded).scan(dist)
        }
        let level = request.compression ?? common.compression ?? .standard
        return try ContentCompressor.run(level: level, cache: request.cache, folders: request.dists) { compressor in
            let plans = try self.plans(dists, settings, compressor: compressor)
            notes += plans.compactMap(\.note)
            // Each needs one core; what is found decides whether the drafts are looked at.
            let (found, made) = ConcurrentMap.both(
                { try plans.flatMap { try $0.findings() } },
                { try self.drafts(plans, common: common, compressor: compressor) })
            let findings = try found.get().map(severity)
            if findings.contains(where: { $0.severity == .error }) { throw BuildError.refused(findings) }
            let drafts = try made.get()
            let packages = try PackageWriter(out: out).write(drafts) { done in
                progress(.writing, done, drafts.count)
            }
            return BuildReport(packages: packages, findings: findings, notes: notes)
        }
    }

    /// The configuration that says where packages go: several projects have none in common, and then it is the one of the working
    /// folder, in whose folder `packtool publish` looks for them.
    private func project(_ settings: [PackageSettings], _ common: PackConfiguration) throws -> PackConfiguration {
        guard Set(settings.map(\.configuration.file)).count > 1 else { return common }
        return try PackConfiguration.nearest(to: .currentDirectory()) ?? PackConfiguration()
    }

    /// Without a configuration packages go to the working folder, which may be the dist itself.
    private func refuseInside(_ out: URL) throws {
        let place = out.absoluteURL.resolvingSymlinksInPath().pathComponents
        for dist in request.dists where place.starts(with: dist.absoluteURL.resolvingSymlinksInPath().pathComponents) {
            throw BuildError.outInDist(out.relativePath, dist: dist.relativePath)
        }
    }

    /// The ids and versions of the packages, before anything is read.
    /// - Throws: ``BuildError``
    package func identities() throws -> [(id: PackageID, version: SemanticVersion)] {
        try settings().map { ($0.id, $0.version) }
    }

    private func severity(_ finding: Finding) -> Finding {
        let isNew = request.known[finding.package].map { finding.isComparable && !$0.contains(finding.key) } ?? false
        return request.isStrict || isNew ? finding.with(.error) : finding
    }

    private func settings() throws -> [PackageSettings] {
        let count = request.dists.count
        guard count > 0 else { throw BuildError.noDist }
        guard request.packages.isEmpty || request.packages.count == count else {
            throw BuildError.countMismatch(option: "--package", given: request.packages.count, dists: count)
        }
        guard request.versions.count <= 1 || request.versions.count == count else {
            throw BuildError.countMismatch(option: "--package-version", given: request.versions.count, dists: count)
        }
        var settings: [PackageSettings] = []
        for (index, dist) in request.dists.enumerated() {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: dist.path, isDirectory: &isFolder), isFolder.boolValue else {
                throw BuildError.notAFolder(dist.relativePath)
            }
            let version = request.versions.count == 1 ? request.versions[0] : request.versions[safe: index]
            if !request.allowsProjects { try ProjectFolderCheck.refuse(dist) }
            let one = try PackageSettings(
                dist: dist, package: request.packages[safe: index], version: version, prerelease: request.prerelease,
                published: request.published, isOneOfSeveral: count > 1, given: request.configuration,
                rules: request.rules)
            if let other = settings.firstIndex(where: { $0.id == one.id }) {
                throw BuildError.samePackage(
                    one.id, first: request.dists[other].relativePath, second: dist.relativePath)
            }
            settings.append(one)
        }
        return settings
    }

    private func plans(
        _ dists: [ScannedDist], _ settings: [PackageSettings], compressor: ContentCompressor
    ) throws -> [PackagePlan] {
        let files = dists.flatMap(\.files)
        let references = Mutex<[Int: [Reference]]>([:])
        let contents = try compressor.prepare(
            files.map { file in
                // Pages and style sheets are read each time, for the audit.
                let isRead = ReferenceFormat(fileExtension: file.path.fileExtension) != nil
                return ContentRequest(.path(file.place), path: file.path, stamp: isRead ? nil : file.stamp)
            },
            inspect: { index, bytes in
                guard let format = ReferenceFormat(fileExtension: files[index].path.fileExtension) else { return }
                let found = format.references(in: bytes)
                if !found.isEmpty { references.withLock { $0[index] = found } }
            },
            progress: { progress(.compressing, $0, files.count) })
        let found = references.withLock { $0 }
        var plans: [PackagePlan] = []
        var start = 0
        for (dist, settings) in zip(dists, settings) {
            let range = start..<start + dist.files.count
            start = range.upperBound
            let entry = request.entry ?? settings.configuration.entry
            let page = try entry ?? PackagePath("index.html")
            let references = Dictionary(
                range.compactMap { index in found[index].map { (files[index].path, $0) } }, uniquingKeysWith: { $1 })
            let setting = request.base ?? settings.configuration.base
            let guess =
                setting == nil
                ? BaseSetting.guess(references[page] ?? [], of: page, paths: dist.files.lazy.map(\.path)) : nil
            plans.append(
                PackagePlan(
                    settings: settings, dist: dist,
                    contents: Dictionary(range.map { (files[$0].path, contents[$0]) }, uniquingKeysWith: { $1 }),
                    references: references, entry: page,
                    requiredApp: request.requiredApp ?? settings.configuration.requiredApp,
                    base: setting?.path ?? guess, guessedBase: guess, allowsSecrets: request.allowsSecrets))
        }
        return plans
    }

    private func drafts(
        _ plans: [PackagePlan], common: PackConfiguration, compressor: ContentCompressor
    ) throws -> [PackageDraft] {
        let split = SharedSplit(
            plans.map { .init(id: $0.id, contents: $0.contents) },
            include: PathRules(common.shared.include.compactMap { IgnorePattern(line: $0) }),
            isAutomatic: request.sharesAutomatically ?? common.shared.isAutomatic ?? false)
        guard !split.files.isEmpty else {
            return try plans.map { plan in
                try PackageDraft(plan: plan, manifest: plan.manifest(shared: [], bundle: nil), compressor: compressor)
            }
        }
        let id = try common.shared.name ?? PackageID("shared")
        if plans.contains(where: { $0.id == id }) { throw BuildError.bundleIsPackage(id) }
        let files = split.files.mapValues { Manifest.File(digest: $0.object.digest, size: $0.object.size) }
        let version = try SharedSplit.version(of: files, id: id)
        let manifest = try Manifest(package: id, version: version, entry: nil, files: files)
        let bundle = try PackageDraft(bundle: manifest, contents: split.files, compressor: compressor)
        let pin = VersionID(version: version, manifest: bundle.document.object.digest)
        return try [bundle]
            + plans.map { plan in
                try PackageDraft(
                    plan: plan, manifest: plan.manifest(shared: split.digests, bundle: (id, pin)),
                    compressor: compressor)
            }
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
