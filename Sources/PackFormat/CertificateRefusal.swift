/// Why a server's certificate was refused, as far as it decides what the user can do.
package enum CertificateRefusal: Sendable, Equatable {
    /// No trusted authority has signed it.
    case unknownAuthority
    /// It is for another host.
    case otherName
    /// It is not valid yet, or has expired.
    case outOfDate

    /// - Parameter text: libcurl's, over OpenSSL or another TLS library.
    package init?(text: String) {
        let text = text.lowercased()
        guard text.contains("ssl") || text.contains("certificate") else { return nil }
        if text.contains("subject name") || text.contains("does not match target host") {
            self = .otherName
        } else if text.contains("expired") || text.contains("not yet valid") || text.contains("not yet active") {
            self = .outOfDate
        } else if text.contains("certificate problem") || text.contains("certificate verification failed") {
            self = .unknownAuthority
        } else {
            return nil
        }
    }

    /// The advice to the user, as the end of a sentence.
    package var advice: String {
        switch self {
        case .unknownAuthority:
            "if it is of a private authority, give that with --ca FILE or PACKTOOL_CA, or put it into the system's list "
                + "(/usr/local/share/ca-certificates/NAME.crt, then update-ca-certificates)"
        case .otherName: "it is for another host: use a name that it contains"
        case .outOfDate: "renew it on the server, and look at this machine's clock"
        }
    }
}
