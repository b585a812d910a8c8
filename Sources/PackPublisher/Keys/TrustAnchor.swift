import Foundation
import PackFormat
package import PackRegistryAPI
import PackSystem
package import PackTrust

/// The root from which a publisher verifies a registry: the project's `root.json`. On first use of a registry, it is
/// the registry's own first root, which is then kept there.
package struct TrustAnchor: Sendable {
    private static let maximumByteCount = 512_000

    package let root: [UInt8]
    /// True if no root was pinned and the registry's root was trusted on first use.
    package let isNew: Bool

    /// - Parameter isKept: false writes nothing to the project.
    package init(project: ProjectFolder, registry: any RegistryReading, isKept: Bool = true) async throws {
        if let data = FileManager.default.contents(atPath: project.root.path(percentEncoded: false)) {
            root = Array(data)
            isNew = false
            return
        }
        let path = ViewPath.metadata(.root, version: 1)
        guard let bytes = try await registry.viewFile(path, maximumByteCount: Self.maximumByteCount) else {
            throw RegistryError(.notFound, "the registry has no \(path): is it a packtool registry?")
        }
        _ = try SignedDocument<RootMetadata>(parsing: bytes)
        if isKept {
            try SystemCall.makeFolders(project.folder)
            try SystemCall.replace(project.root, with: bytes)
        }
        root = bytes
        isNew = true
    }

    /// The store for metadata that was verified from this root.
    package func store(in project: ProjectFolder) throws -> FolderTrustStore {
        try FolderTrustStore(folder: folder(in: project))
    }

    /// The version of the newest timestamp that the project has verified; nil if there is none. It only reads.
    package func seenTimestampVersion(in project: ProjectFolder) -> Int? {
        let file = folder(in: project).appending(path: "timestamp.json")
        return FileManager.default.contents(atPath: file.path(percentEncoded: false)).flatMap {
            try? SignedDocument<TimestampMetadata>(parsing: Array($0)).body.version
        }
    }

    private func folder(in project: ProjectFolder) -> URL {
        project.trust.appending(path: String(Digest(of: root).hex.prefix(16)), directoryHint: .isDirectory)
    }
}
