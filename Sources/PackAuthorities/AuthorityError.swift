/// Why private authorities cannot be used. Each error is reported before anything is sent.
package enum AuthorityError: Error, Equatable, CustomStringConvertible {
    case unreadable(String)
    case tooLong(String, Int)
    case empty(String)
    case damaged(String, number: Int)
    case unsupported

    package var description: String {
        switch self {
        case .unreadable(let path):
            "the file of authorities \(path) cannot be read: check the path in --ca or PACKTOOL_CA"
        case .tooLong(let path, let limit): "the file of authorities \(path) has more than \(limit) bytes"
        case .empty(let path):
            "\(path) has no certificate in PEM form (\"-----BEGIN CERTIFICATE-----\"): --ca takes the authority's "
                + "certificate, no key; one in DER form becomes PEM by openssl x509 -inform der -in FILE -out FILE.pem"
        case .damaged(let path, let number): "certificate \(number) in \(path) is damaged: copy the file anew"
        case .unsupported:
            "private authorities cannot be given here: put the certificate into the system's own list (the keychain)"
        }
    }
}
