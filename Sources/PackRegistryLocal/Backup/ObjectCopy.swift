import Foundation
import PackFormat
import PackRegistryAPI
import PackSystem

/// Copies one object's file to a workspace, and no damage with it.
enum ObjectCopy {
    enum Outcome: Hashable {
        case copied, missing, damaged
    }

    /// - Parameter file: where the copy is to be; not durable yet at return, and not there if nothing was copied.
    /// - Throws: ``RegistryError`` of the kind `.full`, or what the file system throws.
    static func copy(_ object: Object, from store: ObjectStore, to file: URL) throws -> Outcome {
        let place = store.file(of: object.digest)
        guard SystemCall.size(of: place) != nil else { return .missing }
        do {
            try FileManager.default.copyItem(at: place, to: file)
        } catch CocoaError.fileWriteOutOfSpace {
            throw RegistryError(
                .full, "\(file.path(percentEncoded: false)) cannot be written: no space left. Free some and try again")
        }
        guard try Digest(of: Data(contentsOf: file, options: .alwaysMapped)) == object.digest else {
            try FileManager.default.removeItem(at: file)
            return .damaged
        }
        return .copied
    }
}
