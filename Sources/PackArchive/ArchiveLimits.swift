/// The limits above which an archive is refused. They are checked first on the headers, then on the real bytes.
package struct ArchiveLimits: Hashable, Sendable {
    package static let standard = ArchiveLimits()

    /// The size of the zip file in bytes.
    package var maximumArchiveSize: Int
    /// The unpacked size of all files in bytes.
    package var maximumTotalSize: Int
    /// The unpacked size of one file in bytes.
    package var maximumFileSize: Int
    /// The number of files and folders.
    package var maximumFileCount: Int
    /// The largest ratio of unpacked to compressed size, for content larger than ``ratioFreeSize``.
    package var maximumRatio: Int
    /// The size in bytes up to which any ratio is accepted, because small text files of one repeated character are
    /// legitimate.
    package var ratioFreeSize: Int

    package init(
        maximumArchiveSize: Int = 2 << 30, maximumTotalSize: Int = 4 << 30, maximumFileSize: Int = 1 << 30,
        maximumFileCount: Int = 200_001, maximumRatio: Int = 50, ratioFreeSize: Int = 64 << 20
    ) {
        self.maximumArchiveSize = maximumArchiveSize
        self.maximumTotalSize = maximumTotalSize
        self.maximumFileSize = maximumFileSize
        self.maximumFileCount = maximumFileCount
        self.maximumRatio = maximumRatio
        self.ratioFreeSize = ratioFreeSize
    }

    /// Whether content of `size` bytes out of `compressedSize` looks like a bomb.
    func refusesRatio(size: Int, compressedSize: Int) -> Bool {
        guard size > ratioFreeSize else { return false }
        let (bound, overflow) = compressedSize.multipliedReportingOverflow(by: maximumRatio)
        return !overflow && size > bound
    }
}
