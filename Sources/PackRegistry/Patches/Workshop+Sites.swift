import Foundation
import PackFormat

extension Workshop {
    /// Bytes of content that are compressed before the results are written and recorded, in few waits for the disk.
    private static let batchByteCount = 16 << 20
    private static let batchCount = 128

    /// Makes the compressed forms that online copies are served in, until all are made or something is wanted that devices
    /// wait for, or it is enough for this time.
    /// - Returns: whether all are made.
    func makeEncodings(until isOver: () -> Bool) throws -> Bool {
        for package in try database.read({ try EncodingTable(db: $0).packages() }) {
            var wanted = try database.read { try EncodingTable(db: $0).wanted(of: package) }[...]
            while !wanted.isEmpty {
                let batch = Self.batch(wanted)
                wanted.removeFirst(batch.count)
                try encode(batch)
                guard !isOver(), try database.read({ try WorkTable(db: $0).isEmpty }) else { return false }
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

    private func encode(_ objects: [Object]) throws {
        var files: [(bytes: [UInt8], destination: URL)] = []
        var made: [(object: Digest, coding: ContentCoding, size: Int?)] = []
        for object in objects {
            let content = try? Data(contentsOf: folder.view(ViewLayout.object(object.digest)), options: .alwaysMapped)
            for coding in ContentCoding.allCases {
                // A damaged object is served as it is, if at all.
                guard let content, Digest(of: content) == object.digest,
                    let bytes = try content.withUnsafeBytes({ try coding.compress($0) })
                else {
                    made.append((object.digest, coding, nil))
                    continue
                }
                files.append((bytes, folder.view(coding.path(of: object.digest))))
                made.append((object.digest, coding, bytes.count))
            }
        }
        let workspace = try Workspace(in: folder)
        try workspace.put(files)
        try database.write { db in
            for form in made { try EncodingTable(db: db).record(form.object, form.coding, size: form.size) }
        }
    }
}
