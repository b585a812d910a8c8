import PackArchive
import PackPatch
import PackRegistry

extension ContentCoding {
    /// nil if it is not at least a tenth smaller.
    func compress(_ content: UnsafeRawBufferPointer) throws -> [UInt8]? {
        let compressed =
            switch self {
            case .zstd: try ContentFrame.compress(content)
            case .gzip: Gzip.compress(content)
            }
        guard let compressed, compressed.count <= content.count / 10 * 9 else { return nil }
        return compressed
    }
}
