extension String {
    /// Text of bytes; nil if they are not UTF-8.
    package init?(validUTF8 bytes: ArraySlice<UInt8>) {
        if #available(iOS 18, *) {
            self.init(validating: bytes, as: UTF8.self)
        } else {
            self.init(unchangedUTF8: bytes)
        }
    }

    /// The same for systems whose standard library has no such check, iOS 16 and 17: there bytes are only decoded with
    /// U+FFFD in the place of what is not UTF-8, so that the text has other bytes.
    init?(unchangedUTF8 bytes: ArraySlice<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.elementsEqual(bytes) else { return nil }
        self = text
    }
}
