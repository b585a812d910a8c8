import Testing

@testable import PackJSON

/// Both ways of checking bytes give the same answer; the second is that of iOS 16 and 17.
struct ValidUTF8Tests {
    @Test(arguments: ["", "plain", "Käse", "日本", "👩‍👩‍👧", "\u{0}", "\u{FFFD}", "\u{10FFFF}"])
    func `a text comes out of its bytes`(text: String) {
        let bytes = [0x78] + Array(text.utf8) + [0x79]
        #expect(String(validUTF8: bytes[1..<(bytes.count - 1)])?.utf8.elementsEqual(text.utf8) == true)
        #expect(String(unchangedUTF8: bytes[1..<(bytes.count - 1)])?.utf8.elementsEqual(text.utf8) == true)
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0xAF], [0xC3], [0x61, 0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF],
            [0xEF, 0xBF, 0xBD, 0xFE], [0xF0, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
        #expect(String(validUTF8: bytes[...]) == nil)
        #expect(String(unchangedUTF8: bytes[...]) == nil)
    }
}
