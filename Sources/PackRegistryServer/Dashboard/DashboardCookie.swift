import HTTPTypes
import Hummingbird

/// The cookie that names a session (RFC 6265bis): no script reads it, and no other site sends it along.
struct DashboardCookie: Sendable {
    /// Whether browsers reach the server over TLS. Then the name's prefix keeps other hosts from setting it.
    let isSecure: Bool

    private var name: String { isSecure ? "__Host-packtool" : "packtool" }

    private var attributes: String { "; Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "") }

    func setting(_ id: String) -> String { "\(name)=\(id)\(attributes)" }

    var removing: String { "\(name)=; Max-Age=0\(attributes)" }

    /// The id of the session; nil without a cookie, or with two.
    func id(in request: Request) -> String? {
        let pairs: [Substring] = request.headers[values: .cookie].flatMap { field -> [Substring] in
            field.split(separator: ";").map { pair in pair.drop { $0 == " " } }
        }
        let found = pairs.filter { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
        return found.count == 1 ? found[0] : nil
    }
}
