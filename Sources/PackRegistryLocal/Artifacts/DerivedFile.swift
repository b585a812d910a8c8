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
        /// What one request brings of an update from the base: a skeleton of the manifest, and the patch where it is small.
        case update
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
    func path(in package: PackageID, _ version: SemanticVersion) -> ViewPath {
        switch (kind, base) {
        case (.archive, _): .archive(package, version)
        case (.manifest, let base?): .manifestPatch(from: base, to: target)
        case (.update, let base?): .updateFile(from: base, to: target)
        case (.full, _), (.patch, _), (.manifest, nil), (.update, nil): .patch(from: base, to: target)
        }
    }

    /// The patch at a path of the view; nil for every other path.
    init?(patch path: ViewPath) {
        switch path {
        case .patch(let base?, let target) where base != target: self.init(.patch, of: target, from: base)
        case .manifestPatch(let base, let target) where base != target: self.init(.manifest, of: target, from: base)
        case .updateFile(let base, let target) where base != target: self.init(.update, of: target, from: base)
        default: return nil
        }
    }
}
