import PackFormat

/// Orders the ways to a version's objects: a patch from an installed version, the full download, single objects.
struct DownloadPlan: Equatable {
    enum Step: Equatable {
        /// From the version with this manifest.
        case patch(from: Digest)
        case full
        case objects
    }

    /// Empty if nothing is missing.
    let steps: [Step]

    /// - Parameters:
    ///   - own: the objects of the version's own package.
    ///   - missing: those of them that the device has under no package.
    ///   - bases: the manifests of versions of the package that are here, the best first.
    init(own: [Object], missing: [Object], bases: [Digest]) {
        if missing.isEmpty {
            steps = []
            return
        }
        let patches = bases.prefix(Self.baseLimit).map { Step.patch(from: $0) }
        // The full download is compressed, single objects are not and cost a request each; so only where most of
        // the version is here already do single objects cost less.
        let total = own.reduce(0) { $0 + $1.size }
        let lacking = missing.reduce(0) { $0 + $1.size + Self.requestByteCount }
        let prefersObjects = missing.count < own.count && lacking <= total / 5
        steps = patches + (prefersObjects ? [.objects, .full] : [.full, .objects])
    }

    /// Each base that has no patch costs a request in vain.
    private static let baseLimit = 2
    /// About what a request and its answer's header cost.
    private static let requestByteCount = 600
}
