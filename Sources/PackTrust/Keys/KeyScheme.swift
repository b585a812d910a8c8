/// The kinds of keys that this module can verify.
public enum KeyScheme: String, Sendable, CaseIterable {
    /// ECDSA on P-256 over SHA-256; the public key is a PEM SPKI, the signature DER.
    case ecdsa = "ecdsa-sha2-nistp256"
    /// The public key is 32 bytes in hexadecimal, the signature 64 bytes.
    case ed25519 = "ed25519"
    /// RSA of 2,048 bits or more, PSS over SHA-256; the public key is a PEM SPKI.
    case rsaPSS = "rsassa-pss-sha256"
    /// RSA with the older padding of PKCS #1 v1.5 (RFC 8017 section 8.2), as hardware tokens sign. It is only
    /// verified; no such keys are made here.
    case rsaPKCS1 = "rsa-pkcs1v15-sha256"

    /// The kinds of keys that can be made here.
    public static var allCases: [KeyScheme] { [.ecdsa, .ed25519, .rsaPSS] }

    /// The `keytype` in metadata.
    public var keyType: String {
        switch self {
        case .ecdsa: "ecdsa"
        case .ed25519: "ed25519"
        case .rsaPSS, .rsaPKCS1: "rsa"
        }
    }

    /// Reads the pair that stands in metadata; the old key type `ecdsa-sha2-nistp256` is still met.
    init?(keyType: String, scheme: String) {
        guard let found = KeyScheme(rawValue: scheme) else { return nil }
        guard keyType == found.keyType || (found == .ecdsa && keyType == found.rawValue) else { return nil }
        self = found
    }
}
