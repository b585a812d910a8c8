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
        var text = text
        let count = text.utf8.count
        guard let place = place(for: count + 1) else { return nil }
        text.withUTF8 { place.copyMemory(from: UnsafeRawBufferPointer($0)) }
        place[count] = 0
        return place.baseAddress.map { UnsafePointer($0.bindMemory(to: CChar.self, capacity: count + 1)) }
    }

    mutating func add(_ bytes: [UInt8]) -> UnsafeRawPointer? {
        guard let place = place(for: bytes.count) else { return nil }
        bytes.withUnsafeBytes { place.copyMemory(from: $0) }
        return UnsafeRawPointer(place.baseAddress)
    }

    /// Nil for what was not announced.
    private mutating func place(for count: Int) -> UnsafeMutableRawBufferPointer? {
        guard position + count <= size else { return nil }
        defer { position += count }
        return UnsafeMutableRawBufferPointer(start: memory + position, count: count)
    }
}
