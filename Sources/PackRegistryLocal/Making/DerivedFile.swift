import PackFormat

/// A file of the view that is made from the objects of published versions. The same versions give the same bytes, so
/// anybody can make it again at any time.
struct DerivedFile: Hashable, Sendable {
    enum Kind: String, Hashable, Sendable {
        /// The package zip, for people and other tools.
        case archive
        /// The full download: the patch from nothing.
        case full
        /// The patch from a base.
        case patch
        /// The manifest as a patch of the base's manifest.
        case manifest
    }

    let kind: Kind
    let target: Digest
    /// Nil for `archive` and `full`.
    let base: Digest?

    init(_ kind: Kind, of target: Digest, from base: Digest? = nil) {
        self.kind = kind
        self.target = target
        self.base = base
    }

    /// The file's path in the view.
    /// - Parameters: the target's package and version.
    func path(in package: PackageID, _ version: SemanticVersion) -> String {
        switch kind {
        case .archive: ViewLayout.archive(package, version)
        case .full, .patch: ViewLayout.patch(from: base, to: target)
        case .manifest: base.map { ViewLayout.manifestPatch(from: $0, to: target) } ?? ""
        }
    }

    /// The patch whose path in the view this is; nil for every other path.
    init?(patchPath path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "patches", let target = try? Digest(hex: String(parts[1])) else {
            return nil
        }
        for (suffix, kind) in [(".manifest.zst", Kind.manifest), (".zst", .patch)] where parts[2].hasSuffix(suffix) {
            guard let base = try? Digest(hex: String(parts[2].dropLast(suffix.count))), base != target else {
                return nil
            }
            self.init(kind, of: target, from: base)
            return
        }
        return nil
    }
}
