import CPackHost

/// Lays headers, texts and bytes into one block of memory, for C to read.
struct CMemoryWriter {
    let memory: UnsafeMutableRawPointer
    private let size: Int
    private var position: Int

    /// - Parameters:
    ///   - headerCount: how many headers there will be.
    ///   - texts: all that will be added, those of headers too.
    ///   - bytes: what will be added.
    init(headerCount: Int, texts: [String], bytes: [UInt8]) {
        position = headerCount * MemoryLayout<packhost_header>.stride
        size = texts.reduce(position + bytes.count) { $0 + $1.utf8.count + 1 }
        memory = .allocate(byteCount: max(1, size), alignment: MemoryLayout<packhost_header>.alignment)
    }

    /// Nil for none.
    mutating func addHeaders(_ headers: [(key: String, value: String)]) -> UnsafePointer<packhost_header>? {
        guard !headers.isEmpty else { return nil }
        let list = memory.bindMemory(to: packhost_header.self, capacity: headers.count)
        for (index, header) in headers.enumerated() {
            (list + index).initialize(to: packhost_header(name: add(header.key), value: add(header.value)))
        }
        return UnsafePointer(list)
    }

    /// With a 0 at its end.
    mutating func add(_ text: String) -> UnsafePointer<CChar>? {
        let bytes = Array(text.utf8) + [0]
        let copy = copy(bytes)
        return copy.map { UnsafePointer($0.bindMemory(to: CChar.self, capacity: bytes.count)) }
    }

    mutating func add(_ bytes: [UInt8]) -> UnsafeRawPointer? { copy(bytes).map { UnsafeRawPointer($0) } }

    /// Nil for what was not announced.
    private mutating func copy(_ bytes: [UInt8]) -> UnsafeMutableRawPointer? {
        guard position + bytes.count <= size else { return nil }
        let place = memory + position
        bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: place, count: bytes.count).copyMemory(from: $0) }
        position += bytes.count
        return place
    }
}
