import PackFormat

@testable import PackPatch

/// Keeps objects under the names that they were finished with.
struct NamingSink: ObjectSink {
    private(set) var objects: [Digest: [UInt8]] = [:]
    private(set) var order: [Object] = []
    private(set) var names: NameFinder
    private var bytes: [UInt8] = []

    init(names: NameFinder) { self.names = names }

    mutating func begin(_ object: Object) { bytes = [] }
    mutating func write(_ chunk: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: chunk)
        names.look(at: chunk)
    }
    mutating func finish(_ object: Object) {
        names.endObject()
        objects[object.digest] = bytes
        order.append(object)
    }
}
