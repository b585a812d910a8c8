import PackFormat

/// The bytes that were transferred for each package. Of a download that went on, those of its earlier part count too.
final class TransferCounter: Sendable {
    private struct Count {
        var byteCount = 0
        /// The way by which the objects came.
        var way: UpdateReport.Transfer.Way?
        var version: SemanticVersion?
        /// Of the version's own files, in bytes.
        var size = 0
    }

    private let counts = Locked<[PackageID: Count]>([:])

    func add(_ byteCount: Int, for package: PackageID) {
        counts.withLock { $0[package, default: Count()].byteCount += byteCount }
    }

    /// Records how the objects of a version came.
    func note(_ way: UpdateReport.Transfer.Way, _ manifest: Manifest) {
        counts.withLock { counts in
            counts[manifest.package, default: Count()].way = way
            counts[manifest.package]?.version = manifest.version
            counts[manifest.package]?.size = manifest.ownObjects.reduce(0) { $0 + $1.size }
        }
    }

    func byteCount(of package: PackageID) -> Int { counts.withLock { $0[package]?.byteCount ?? 0 } }

    /// What came as a whole, in the order of package ids.
    var transfers: [UpdateReport.Transfer] {
        counts.withLock { counts in
            counts.sorted { $0.key < $1.key }.compactMap { package, count in
                guard let way = count.way, let version = count.version else { return nil }
                return UpdateReport.Transfer(
                    package: package, version: version, way: way, byteCount: count.byteCount, size: count.size)
            }
        }
    }
}
