import Foundation
import PackWeb

/// The host and port of a service's address, and the request for a WebSocket there.
struct ServicePlace: Hashable, Sendable {
    let isSecure: Bool
    let host: String
    let port: Int
    let authority: String
    /// Path and query.
    let target: String

    /// - Parameter address: of https or http, as `wss` and `ws` are.
    init?(_ address: String) {
        guard let url = SentAddress.url(address), let host = url.host(percentEncoded: true), !host.isEmpty,
            ["https", "http"].contains(url.scheme)
        else { return nil }
        isSecure = url.scheme == "https"
        self.host = host
        port = url.port ?? (isSecure ? 443 : 80)
        let name = host.contains(":") ? "[\(host)]" : host
        authority = url.port.map { "\(name):\($0)" } ?? name
        let path = url.path(percentEncoded: true)
        target = (path.isEmpty ? "/" : path) + (url.query(percentEncoded: true).map { "?" + $0 } ?? "")
    }

    /// A certificate names no address by SNI.
    var nameToVerify: String? {
        host.contains(":") || host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E } ? nil : host
    }

    /// - Parameters:
    ///   - fields: of the page's request, without those of its connection.
    ///   - origin: the page's own, in whose place the service's stands: it takes sockets of its own pages only.
    func handshake(_ fields: [(name: String, value: String)], origin: String?) -> String {
        var lines = ["GET \(target) HTTP/1.1", "Host: \(authority)", "Connection: Upgrade", "Upgrade: websocket"]
        for (name, value) in fields where name.lowercased() != "referer" {
            let isOwn = name.lowercased() == "origin" && value == origin
            lines.append("\(name): \(isOwn ? "\(isSecure ? "https" : "http")://\(authority)" : value)")
        }
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }
}
