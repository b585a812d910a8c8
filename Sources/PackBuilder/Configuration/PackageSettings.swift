import Foundation
import PackFormat

/// The id and version of a dist: from the flags, else from `packtool.json`, else from the nearest `package.json`.
struct PackageSettings: Sendable {
    let id: PackageID
    let version: SemanticVersion
    let configuration: PackConfiguration
    let rules: PathRules
    /// Which configuration and which version count, where that is not obvious.
    let notes: [String]

    /// - Parameters:
    ///   - prerelease: appended to the version.
    ///   - published: what is published already, for `prerelease`.
    ///   - isOneOfSeveral: the project's `packtool.json` then names all dists and none of them: a `package.json` that is
    ///     nearer counts first.
    ///   - given: the configuration in place of those that are found; then no `package.json` counts.
    ///   - rules: in place of the ignore rules.
    /// - Throws: ``BuildError``
    init(
        dist: URL, package: PackageID?, version: SemanticVersion?, prerelease: PrereleaseWords? = nil,
        published: [PackageID: Set<SemanticVersion>] = [:], isOneOfSeveral: Bool = false,
        workingFolder: URL = .currentDirectory(), given: PackConfiguration? = nil, rules: PathRules? = nil
    ) throws {
        let (configuration, note) =
            try given.map { ($0, nil) } ?? Self.configuration(of: dist, workingFolder: workingFolder)
        let npm = try given == nil ? NPMPackage.all(above: dist) : []
        self.configuration = configuration
        let depth = configuration.file?.standardizedFileURL.pathComponents.count ?? 0
        let nearer = npm.filter { $0.file.standardizedFileURL.pathComponents.count > depth }
        let own = isOneOfSeveral ? nearer : []
        do {
            if let package {
                id = package
            } else if let (file, name) = own.lazy.compactMap({ npm in npm.name.map { (npm.file, $0) } }).first {
                id = try Self.parse(in: file) { try PackageID(name) }
            } else if let configured = configuration.package {
                id = configured
            } else if let (file, name) = npm.lazy.compactMap({ npm in npm.name.map { (npm.file, $0) } }).first {
                id = try Self.parse(in: file) { try PackageID(name) }
            } else {
                throw BuildError.noPackageID(dist: dist.path)
            }
            let plain: SemanticVersion
            if let version {
                plain = version
            } else if let (file, text) = own.lazy.compactMap({ npm in npm.version.map { (npm.file, $0) } }).first {
                plain = try Self.parse(in: file) { try SemanticVersion(text) }
            } else if let configured = configuration.version {
                plain = configured
            } else if let (file, text) = npm.lazy.compactMap({ npm in npm.version.map { (npm.file, $0) } }).first {
                plain = try Self.parse(in: file) { try SemanticVersion(text) }
            } else {
                throw BuildError.noVersion(dist: dist.path)
            }
            let base = prerelease == nil ? plain : plain.unpublished(among: published[id] ?? [])
            self.version = try prerelease.map { try base.with($0) } ?? plain
            let raised =
                base == plain ? nil : "\(id) \(plain) is published: this is a prerelease of the next, \(self.version)"
            let other =
                isOneOfSeveral || package != nil ? nil : Self.otherName(of: dist, than: configuration, nearer)
            notes = [note, other, raised].compactMap(\.self)
        } catch let error as FormatError {
            throw BuildError.invalid("\(error)", source: "the command line")
        }
        let named = npm.first { $0.name != nil || $0.version != nil } ?? npm.first
        let project = (configuration.file ?? named?.file ?? dist).deletingLastPathComponent()
        self.rules = try rules ?? Self.rules(dist: dist, project: project, configured: configuration.ignore)
    }

    /// The configuration above the dist, else the one of the working folder, as of the project that asks.
    private static func configuration(
        of dist: URL, workingFolder: URL
    ) throws -> (PackConfiguration, note: String?) {
        let here = NearestFile.named(PackConfiguration.fileName, from: workingFolder)?.path
        guard let above = try PackConfiguration.nearest(to: dist) else {
            guard let own = try PackConfiguration.nearest(to: workingFolder) else { return (PackConfiguration(), nil) }
            return (own, "\(own.file?.path ?? "") is used for \(dist.relativePath), which has none of its own")
        }
        guard let here, let file = above.file?.path, here != file else { return (above, nil) }
        return (above, "\(file) is used for \(dist.relativePath), and not \(here)")
    }

    /// What to say of a folder that is not the one of the configuration, and that a nearer `package.json` names otherwise.
    private static func otherName(
        of dist: URL, than configuration: PackConfiguration, _ nearer: [NPMPackage]
    ) -> String? {
        guard let file = configuration.file, let id = configuration.package,
            configuration.dist.map({ configuration.resolve($0).standardizedFileURL.path })
                != dist.standardizedFileURL.path,
            let other = nearer.first(where: { $0.name != nil }), let name = other.name, name != id.text
        else { return nil }
        return
            "\(dist.relativePath) is built as \(id), the package of \(file.path); \(other.file.path) names \(name): to build that, give "
            + "--package \(name)"
    }

    /// The defaults, the project's `.packignore`, the dist's own, then `ignore` of the configuration.
    private static func rules(dist: URL, project: URL, configured: [String]) throws -> PathRules {
        var rules = PathRules.defaults
        let folders = [project, dist].map { $0.absoluteURL.standardizedFileURL.path }
        for folder in folders[0] == folders[1] ? [folders[0]] : folders {
            let file = URL(filePath: folder).appending(path: ".packignore")
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            guard let text = try? String(contentsOf: file, encoding: .utf8) else {
                throw BuildError.unreadable(file.path, reason: "it is not a readable UTF-8 file")
            }
            rules.append(PathRules(text: text))
        }
        rules.append(PathRules(configured.compactMap { IgnorePattern(line: $0) }))
        return rules
    }

    private static func parse<Value>(in file: URL, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw BuildError.invalid(
                "\(error); or set \"package\" and \"version\" in packtool.json", source: file.path)
        }
    }
}

extension SemanticVersion {
    /// The version itself, or the patch after the highest one published of its line, where that is not below it.
    fileprivate func unpublished(among published: Set<SemanticVersion>) -> SemanticVersion {
        let line = published.filter { $0.major == major && $0.minor == minor && $0.prerelease.isEmpty }
        guard let highest = line.max(), !(highest < self), highest.patch < UInt64.max else { return self }
        return (try? SemanticVersion("\(major).\(minor).\(highest.patch + 1)")) ?? self
    }
}

/// The two fields of a `package.json` that packtool uses.
struct NPMPackage {
    let file: URL
    /// Without the scope: `checkout` for `@shop/checkout`.
    let name: String?
    let version: String?

    /// The nearest first. A build writes some of its own into the dist, `{"type": "module"}`, that name nothing: so
    /// each field is taken from the nearest one that has it.
    static func all(above folder: URL) throws -> [NPMPackage] {
        var found: [NPMPackage] = []
        var folder = folder
        while let file = NearestFile.named("package.json", from: folder) {
            // Only the nearest must be sound: what lies further up is often another project's.
            guard let package = try found.isEmpty ? NPMPackage(file) : try? NPMPackage(file) else { break }
            found.append(package)
            if package.name != nil, package.version != nil { break }
            let above = file.deletingLastPathComponent()
            guard above.pathComponents.count > 1 else { break }
            folder = above.deletingLastPathComponent()
        }
        return found
    }

    private init(_ file: URL) throws {
        // Read by Foundation: npm allows numbers with fractions, which PackJSON refuses.
        guard let data = try? Data(contentsOf: file),
            let json = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        else { throw BuildError.invalid("it is not a JSON object", source: file.path) }
        let name = json["name"] as? String
        let plain = name.map { name in
            name.hasPrefix("@") ? String(name.drop { $0 != "/" }.dropFirst()) : name
        }
        self.file = file
        self.name = plain
        version = json["version"] as? String
    }
}
