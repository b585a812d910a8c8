import CPackHost

/// Texts between C and Swift.
enum CText {
    /// Copies a text of the caller.
    /// - Throws: ``CallFault`` for NULL and for what is not UTF-8.
    static func required(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(CallFault) -> String {
        guard let text = try optional(pointer, name) else { throw .wrongArgument("\(name) is NULL") }
        return text
    }

    /// Nil for NULL.
    static func optional(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(CallFault) -> String? {
        guard let pointer else { return nil }
        guard let text = String(validatingCString: pointer) else { throw .wrongArgument("\(name) is not UTF-8") }
        return text
    }

    /// Writes a text into a `message` of the caller, cut between characters of Unicode.
    static func write(_ text: String, to message: UnsafeMutablePointer<CChar>?) {
        guard let message else { return }
        let limit = Int(PACKHOST_MESSAGE_SIZE) - 1
        // A 0 would be the end for C.
        var bytes = text.utf8.prefix(limit + 1).map { $0 == 0 ? UInt8(ascii: " ") : $0 }
        if bytes.count > limit {
            bytes.removeLast()
            // What is left of a character whose end was cut off.
            let tail = bytes.reversed().prefix { $0 & 0xC0 == 0x80 }.count
            bytes.removeLast(tail)
            if let lead = bytes.last, lead >= 0xC0 { bytes.removeLast() }
        }
        for (index, byte) in bytes.enumerated() { message[index] = CChar(bitPattern: byte) }
        message[bytes.count] = 0
    }
}

/// The body of a function of C: turns what it throws into a code and a message.
func call(_ message: UnsafeMutablePointer<CChar>?, _ body: () throws -> Void) -> Int32 {
    CText.write("", to: message)
    do {
        try body()
        return Int32(PACKHOST_OK.rawValue)
    } catch {
        let fault = CallFault(error)
        CText.write(fault.message, to: message)
        return fault.code
    }
}

/// A place of the caller for a new handle, with no handle in it yet.
func place(
    _ pointer: UnsafeMutablePointer<UInt64>?, _ name: String
) throws(CallFault) -> UnsafeMutablePointer<UInt64> {
    guard let pointer else { throw .wrongArgument("\(name) is NULL") }
    pointer.pointee = 0
    return pointer
}
