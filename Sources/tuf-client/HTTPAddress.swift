import Foundation

/// A base address such as `http://127.0.0.1:8000/metadata/`, with or without the slash at its end.
struct HTTPAddress: Sendable {
    struct Fault: Error, CustomStringConvertible {
        let text: String
        var description: String { "\(text) is not an http URL of a folder; this client speaks plain HTTP only" }
    }

    /// Without the brackets of an IPv6 address.
    let host: String
    let port: UInt16
    /// Ends in a slash.
    let path: String

    init(_ text: String) throws {
        guard let parts = URLComponents(string: text), parts.scheme?.lowercased() == "http", let host = parts.host,
            !host.isEmpty, parts.query == nil, parts.fragment == nil, let port = UInt16(exactly: parts.port ?? 80)
        else { throw Fault(text: text) }
        self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        self.port = port
        let path = parts.percentEncodedPath
        self.path = path.hasSuffix("/") ? path : path + "/"
    }

    /// What the `Host` field says.
    var authority: String { (host.contains(":") ? "[\(host)]" : host) + (port == 80 ? "" : ":\(port)") }
}
