import PackJSON

/// Whatever the bytes are: the parser answers, and what it read is written and read back as the same value.
///
/// libFuzzer's entry point; `scripts/fuzz-json` builds and runs it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard let value = try? JSONValue(parsing: bytes) else { return 0 }
    for text in [value.compactText, value.prettyText] {
        guard let again = try? JSONValue(parsing: text), again == value else { fatalError("written and read: \(text)") }
        precondition(again.canonicalBytes == value.canonicalBytes)
    }
    return 0
}
