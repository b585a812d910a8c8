/// How much an archive may hold before it is refused. Checked on the headers first and on the real bytes after.
package struct ArchiveLimits: Hashable, Sendable {
    package static let standard = ArchiveLimits()

    /// Bytes of the zip file.
    package var maximumArchiveSize: Int
    /// Bytes of all files when unpacked.
    package var maximumTotalSize: Int
    /// Bytes of one file when unpacked.
    package var maximumFileSize: Int
    /// Files and folders.
    package var maximumFileCount: Int
    /// How many times its compressed size content may be, once it is larger than ``ratioFreeSize``.
    package var maximumRatio: Int
    /// Bytes up to which any ratio is accepted: small text files of one repeated character are honest.
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
