/// A text that C reads until it frees its handle.
final class HeldText: Sendable {
    /// The bytes in UTF-8, with a 0 after them.
    nonisolated(unsafe) let bytes: UnsafePointer<CChar>
    /// Without the 0.
    let count: Int
    /// What must stay as long as the text: what it is the name of.
    private let named: (any Sendable)?

    init(_ text: String, of named: (any Sendable)? = nil) {
        self.named = named
        var text = text
        (bytes, count) = text.withUTF8 { utf8 in
            let memory = UnsafeMutablePointer<CChar>.allocate(capacity: utf8.count + 1)
            for (index, byte) in utf8.enumerated() { memory[index] = CChar(bitPattern: byte) }
            memory[utf8.count] = 0
            return (UnsafePointer(memory), utf8.count)
        }
    }

    deinit { bytes.deallocate() }
}
