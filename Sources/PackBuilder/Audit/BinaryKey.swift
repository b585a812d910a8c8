import PackFormat

/// A private key in DER, as `openssl … -outform DER` writes it. The file contains nothing else.
enum BinaryKey {
    /// PKCS #8 (RFC 5958 section 2), PKCS #1 (RFC 8017 A.1.2) or SEC 1 (RFC 5915 section 3).
    case key
    /// PKCS #12 (RFC 7292 section 4).
    case store

    /// Larger ones do not exist: an RSA key of 16,384 bits has some 9 KB.
    private static let maximumKeySize = 16 << 10

    /// The algorithms of PKCS #8: RSA, RSA-PSS, elliptic curves, Ed25519, Ed448, X25519, X448, DSA.
    private static let algorithms: [[UInt8]] = [
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01], [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0A],
        [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01], [0x2B, 0x65, 0x70], [0x2B, 0x65, 0x71], [0x2B, 0x65, 0x6E],
        [0x2B, 0x65, 0x6F], [0x2A, 0x86, 0x48, 0xCE, 0x38, 0x04, 0x01],
    ]
    /// PBES2 and the older ways: what an encrypted key begins with.
    private static let encryptions: [[UInt8]] = [
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05], [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x01],
    ]

    var text: String {
        switch self {
        case .key: "a private key"
        case .store: "a key store"
        }
    }

    init?(_ bytes: UnsafeRawBufferPointer) {
        var outer = Reader(bytes: bytes[...])
        // One SEQUENCE, and nothing after it.
        guard let content = outer.value(of: 0x30), outer.bytes.isEmpty else { return nil }
        var fields = Reader(bytes: content)
        if bytes.count <= Self.maximumKeySize, var algorithm = fields.value(of: 0x30).map(Reader.init) {
            // EncryptedPrivateKeyInfo: the way, then the octets, and no more.
            guard let name = algorithm.value(of: 0x06), Self.encryptions.contains(where: name.starts(with:)),
                fields.value(of: 0x04) != nil, fields.bytes.isEmpty
            else { return nil }
            self = .key
            return
        }
        guard let version = fields.value(of: 0x02), version.count == 1, let number = version.first else { return nil }
        if number == 3, fields.value(of: 0x30) != nil {
            self = .store
            return
        }
        guard bytes.count <= Self.maximumKeySize, number <= 1 else { return nil }
        if let octets = fields.value(of: 0x04) {
            guard number == 1, (16...80).contains(octets.count) else { return nil }
        } else if var algorithm = fields.value(of: 0x30).map(Reader.init) {
            guard let name = algorithm.value(of: 0x06), Self.algorithms.contains(where: name.elementsEqual),
                fields.value(of: 0x04) != nil
            else { return nil }
        } else {
            // The modulus, both exponents, both primes, …: nine numbers with the version.
            for _ in 0..<8 { guard fields.value(of: 0x02) != nil else { return nil } }
            guard fields.bytes.isEmpty else { return nil }
        }
        self = .key
    }

    private struct Reader {
        var bytes: Slice<UnsafeRawBufferPointer>

        init(bytes: Slice<UnsafeRawBufferPointer>) {
            self.bytes = bytes
        }

        /// The next element's content, where it has this tag; else nothing is read.
        mutating func value(of tag: UInt8) -> Slice<UnsafeRawBufferPointer>? {
            guard bytes.first == tag, bytes.count >= 2 else { return nil }
            let first = bytes[bytes.startIndex + 1]
            var start = bytes.startIndex + 2
            var length = Int(first)
            if first >= 0x80 {
                let count = Int(first & 0x7F)
                guard (1...3).contains(count), bytes.endIndex - start >= count else { return nil }
                length = bytes[start..<start + count].reduce(0) { $0 << 8 | Int($1) }
                start += count
            }
            guard bytes.endIndex - start >= length else { return nil }
            defer { bytes = bytes[(start + length)...] }
            return bytes[start..<start + length]
        }
    }
}
