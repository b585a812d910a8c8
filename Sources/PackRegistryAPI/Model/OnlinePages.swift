package import PackFormat

/// What devices show of a package while its gate is off: the pages at the first of the `origins` that the manifest of their
/// version lists, or an error page if it lists none.
package struct OnlinePages: Hashable, Sendable {
    private let package: PackageID
    /// The offered versions whose pages are on the web too, newest first.
    package let versionsWithOrigins: [SemanticVersion]
    /// The offered versions of which devices show an error page, newest first.
    package let versionsWithoutOrigins: [SemanticVersion]

    /// Reads the manifests of what a channel offers. What the app embeds, and a version whose manifest is not in the view, is in
    /// neither list.
    /// - Parameter releases: of the package on the channel.
    package init(of package: PackageID, _ releases: [Release], in registry: any RegistryReading) async throws {
        var (with, without): ([SemanticVersion], [SemanticVersion]) = ([], [])
        for release in releases {
            guard case .version(let version, let digest) = release.offer, !with.contains(version),
                !without.contains(version)
            else { continue }
            let path = ViewPath.manifest(package, version, digest)
            guard let bytes = try await registry.viewFile(path, maximumByteCount: Manifest.maximumByteCount) else {
                continue
            }
            let manifest: Manifest
            do { manifest = try Manifest(parsing: bytes) } catch {
                throw RegistryError(.unusable, "the manifest of \(package) \(version) cannot be read: \(error)")
            }
            if manifest.origins.isEmpty { without.append(version) } else { with.append(version) }
        }
        self.package = package
        (versionsWithOrigins, versionsWithoutOrigins) = (with, without)
    }

    /// What devices do while the gate is off, such as `devices load its pages online`.
    package var text: String {
        guard let why else { return "devices load its pages online" }
        return versionsWithOrigins.isEmpty
            ? "devices show an error page in place of its pages, because \(why)"
            : "devices load its pages online, except those with \(names), which show an error page, because \(why)"
    }

    /// Such as `shop 1.4.0 lists no origins`; nil if all versions list some.
    package var why: String? {
        guard !versionsWithoutOrigins.isEmpty else { return nil }
        return "\(names) \(versionsWithoutOrigins.count == 1 ? "lists" : "list") no origins"
    }

    private var names: String {
        var shown = versionsWithoutOrigins.prefix(5).map(\.description)
        if versionsWithoutOrigins.count > 5 { shown.append("\(versionsWithoutOrigins.count - 5) more") }
        let last = shown.popLast() ?? ""
        return "\(package) " + (shown.isEmpty ? last : "\(shown.joined(separator: ", ")) and \(last)")
    }
}
