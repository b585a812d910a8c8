import PackFormat

/// A file of the view that is made from the objects of published versions: the same versions give the same bytes, so
/// it can be made again at any time and by anyone.
struct DerivedFile: Hashable, Sendable {
    enum Kind: String, Hashable, Sendable {
        /// The package zip, for people and other tools.
        case archive
        /// The download from nothing.
        case full
        /// The patch from a base.
        case patch
        /// The manifest as a frame against the base's.
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
}
