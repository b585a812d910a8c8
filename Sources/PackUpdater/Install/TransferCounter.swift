import PackFormat

/// The bytes that were transferred for each package. Of a download that went on, those of its earlier part count too.
final class TransferCounter: Sendable {
    private let byteCounts = Locked<[PackageID: Int]>([:])

    func add(_ byteCount: Int, for package: PackageID) {
        byteCounts.withLock { $0[package, default: 0] += byteCount }
    }

    func byteCount(of package: PackageID) -> Int { byteCounts.withLock { $0[package] ?? 0 } }
}
