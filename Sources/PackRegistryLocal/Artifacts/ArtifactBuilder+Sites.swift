import Foundation
import PackFormat
import PackRegistry
import PackRegistrySQL

extension ArtifactBuilder {
    /// Bytes of content that are compressed before the results are written and recorded, in few waits for the disk.
    private static let batchByteCount = 16 << 20
    private static let batchCount = 128

    /// Makes the compressed forms that online copies are served in, until all are made or something is wanted that devices
    /// wait for, or it is enough for this time.
    /// - Returns: whether all are made.
    func makeEncodings(until isOver: () -> Bool) throws -> Bool {
        let maker = beginMaking()
        for package in try database.read({ try EncodingTable(db: $0).packages() }) {
            var wanted = try database.read { try EncodingTable(db: $0).wanted(of: package) }[...]
            while !wanted.isEmpty {
                let batch = Self.batch(wanted)
                wanted.removeFirst(batch.count)
                try encode(batch, with: maker)
                guard !isOver(), try database.read({ try BuildQueueTable(db: $0).isEmpty }) else { return false }
            }
            try database.write { db in
                let table = EncodingTable(db: db)
                // Looked at again: it may have changed since.
                if try table.wanted(of: package).isEmpty { try table.finish(package) }
            }
        }
        return true
    }

    private static func batch(_ objects: ArraySlice<Object>) -> [Object] {
        var byteCount = 0
        let fitting = objects.prefix(batchCount).prefix { object in
            byteCount += object.size
            return byteCount <= batchByteCount
        }
        return fitting.isEmpty ? Array(objects.prefix(1)) : Array(fitting)
    }

    private func encode(_ objects: [Object], with maker: any ArtifactMaker) throws {
        let sizes = try maker.make(.encodings(objects.map(\.digest)))
        let forms = objects.flatMap { object in ContentCoding.allCases.map { (object.digest, $0) } }
        try database.write { db in
            for ((object, coding), size) in zip(forms, sizes) {
                try EncodingTable(db: db).record(object, coding, size: size)
            }
        }
    }
}
