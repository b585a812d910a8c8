import PackArchive
import PackFormat

/// A package whose content is decided and not written yet.
struct PackageDraft {
    let manifest: Manifest
    /// The manifest's bytes.
    let document: PreparedContent
    /// Own and shared contents.
    let contents: [PackagePath: PreparedContent]
    /// The paths in the order of the zip.
    let order: [PackagePath]
    let isBundle: Bool
    var leftOut: [ScannedDist.LeftOut] = []

    init(bundle manifest: Manifest, contents: [PackagePath: PreparedContent], compressor: ContentCompressor) throws {
        self.manifest = manifest
        self.contents = contents
        order = manifest.sortedPaths
        document = try Self.document(of: manifest, order: order, compressor: compressor)
        isBundle = true
    }

    init(plan: PackagePlan, manifest: Manifest, compressor: ContentCompressor) throws {
        self.manifest = manifest
        contents = plan.contents
        order = plan.dist.files.map(\.path)
        document = try Self.document(of: manifest, order: order, compressor: compressor)
        isBundle = false
        leftOut = plan.dist.leftOut
    }

    static let manifestPath = Result { try PackagePath(Manifest.fileName) }

    private static func document(
        of manifest: Manifest, order: [PackagePath], compressor: ContentCompressor
    ) throws -> PreparedContent {
        let bytes = manifest.bytes(inOrder: order)
        return try compressor.prepare([ContentRequest(.bytes(bytes), path: manifestPath.get())])[0]
    }
}
