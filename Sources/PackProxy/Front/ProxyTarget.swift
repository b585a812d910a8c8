import Foundation
import PackWeb

/// The destination of a request to a proxy (RFC 9112 section 3.2).
enum ProxyTarget: Hashable {
    /// CONNECT to a package's host, which the proxy answers itself.
    case package(host: String)
    /// CONNECT to another host.
    case tunnel(host: String, port: Int)
    /// Plain http to a package's host: the location is the same path with https.
    case insecurePackage(location: String)
    /// Plain http to another host, with the path to send there.
    case forward(host: String, port: Int, path: String)
    case malformed(String)

    init(method: String, uri: String) {
        if method == "CONNECT" {
            guard let (host, port) = Self.authority(uri, defaultPort: nil) else {
                self = .malformed("CONNECT needs HOST:PORT")
                return
            }
            if Self.isPackage(host) {
                self = port == 443 ? .package(host: host) : .malformed("a package has no port but 443")
            } else {
                self = .tunnel(host: host, port: port)
            }
            return
        }
        guard uri.lowercased().hasPrefix("http://") else {
            self = .malformed("this is a proxy: it takes absolute http URLs and CONNECT")
            return
        }
        let rest = uri.dropFirst(7)
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        guard let (host, port) = Self.authority(String(rest[..<end]), defaultPort: 80) else {
            self = .malformed("the URL has no valid host")
            return
        }
        let tail = rest[end...].prefix { $0 != "#" }
        let path = tail.hasPrefix("/") ? String(tail) : "/" + tail
        if Self.isPackage(host) {
            self =
                port == 80 ? .insecurePackage(location: "https://\(host)\(path)") : .malformed("a package has no port")
        } else {
            self = .forward(host: host, port: port, path: path)
        }
    }

    /// Every host under the virtual domain is ours, registered or not: none may be asked of the network.
    private static func isPackage(_ host: String) -> Bool {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        return name == SiteAddress.virtualSuffix || name.hasSuffix("." + SiteAddress.virtualSuffix)
    }

    private static func authority(_ text: String, defaultPort: Int?) -> (String, Int)? {
        guard !text.isEmpty, !text.contains("@"), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        var host = Substring(text)
        var port = defaultPort
        let afterBrackets = text.lastIndex(of: "]") ?? text.startIndex
        if let colon = text[afterBrackets...].lastIndex(of: ":") {
            guard let number = UInt16(text[text.index(after: colon)...]), number > 0 else { return nil }
            port = Int(number)
            host = text[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, let port else { return nil }
        return (host.lowercased(), port)
    }
}
