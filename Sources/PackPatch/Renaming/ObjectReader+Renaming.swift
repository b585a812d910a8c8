import PackFormat

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ObjectReader {
    /// As ``concatenate(_:scratch:isVerified:)``, but each object as `renamer` makes it.
    /// - Parameter memory: As large as the largest object, to work in.
    func concatenate(
        _ objects: [Object], scratch folder: URL, renamer: consuming Renamer, memory: UnsafeMutableRawBufferPointer
    ) throws -> MappedMemory {
        let file = try OpenFile(scratchIn: folder)
        var count = 0
        for object in objects {
            let bytes = UnsafeMutableRawBufferPointer(rebasing: memory.prefix(object.size))
            try read(object, into: bytes)
            try renamer.rename(next: bytes) { piece in
                try file.write(piece)
                count += piece.count
            }
        }
        return try file.map(count: count)
    }
}
