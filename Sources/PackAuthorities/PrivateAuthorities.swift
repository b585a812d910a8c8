import CCurlHandles
import Foundation
import Synchronization

/// Certificate authorities besides the system's, for everything that this process sends with URLSession: requests to
/// the publisher's registry, by the updater, and of pages through the device.
///
///     try PrivateAuthorities.trust("company-ca.pem")   // before the first request
///
/// FoundationNetworking, which uses libcurl, has no call for it: `CCurlHandles` adds them to each of its handles
/// (decision 0014). Names, dates and chains are checked as usual; a host with a certificate of a public authority
/// works as before.
package enum PrivateAuthorities {
    /// The environment variable that names the file if there is no option.
    package static let variable = "PACKTOOL_CA"

    private static let added = Mutex("")

    /// The certificates added so far in PEM form, for connections that do not use URLSession.
    package static var text: String { added.withLock { $0 } }

    /// Adds the authorities of the option's file, or else of the variable's. Without both it does nothing.
    /// - Throws: ``AuthorityError``.
    package static func trust(_ option: String?, environment: [String: String]) throws {
        let path = option ?? environment[variable].map { $0.trimmingCharacters(in: .whitespacesAndNewlines) } ?? ""
        if !path.isEmpty { try trust(path) }
    }

    /// Adds authorities to the trusted ones.
    /// - Throws: ``AuthorityError`` for a file that is missing or has no certificate.
    package static func trust(_ path: String) throws {
        try add(AuthorityFile(path).text)
    }

    /// - Parameter text: Certificates in PEM form.
    package static func add(_ text: String) throws {
        try added.withLock { added in
            guard !added.contains(text) else { return }
            let all = Array((systemAuthorities + added + text).utf8)
            guard packtool_set_curl_authorities(all, all.count) == 0 else { throw AuthorityError.unsupported }
            added += text
        }
    }

    /// The system's list: libcurl's own, else where FoundationNetworking looks. It takes ours in its place, so it must be in it;
    /// a system that keeps a folder only is still asked, by libcurl.
    private static var systemAuthorities: String {
        let known = packtool_system_authorities().map { [String(cString: $0)] } ?? []
        let usual = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"]
        for path in known + usual {
            if let data = FileManager.default.contents(atPath: path) {
                return String(decoding: data, as: UTF8.self) + "\n"
            }
        }
        return ""
    }
}
