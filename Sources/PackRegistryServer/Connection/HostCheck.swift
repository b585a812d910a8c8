import NIOCore
import NIOHTTP1

/// Removes the `Host` field if it does not name exactly one host, or contradicts the request's target (RFC 9112
/// section 3.2). ``RegistryResponder`` refuses a request without the field. The codec behind drops the host of a
/// target in absolute form, so this is the last place that sees it.
final class HostCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), !Self.isSound(head) else {
            return context.fireChannelRead(data)
        }
        head.headers.remove(name: "Host")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    private static func isSound(_ head: HTTPRequestHead) -> Bool {
        let hosts = head.headers["Host"]
        guard hosts.count == 1, let host = hosts.first else { return false }
        guard !head.uri.hasPrefix("/"), let scheme = head.uri.firstRange(of: "://") else { return true }
        let authority = head.uri[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
        return authority.lowercased() == host.lowercased()
    }
}

/// The value of a `Host` field, or the authority of a request over HTTP/2: `NAME`, `ADDRESS` or `[ADDRESS]`, each
/// with or without a port.
enum HostField {
    static func isValid(_ text: some StringProtocol) -> Bool { isValid(bytes: text.utf8) }

    static func isValid(bytes: some Collection<UInt8>) -> Bool {
        var rest = bytes[...]
        let colon = UInt8(ascii: ":")
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")),
                rest[..<end].dropFirst().allSatisfy({ isHexDigit($0) || $0 == colon || $0 == UInt8(ascii: ".") })
            else { return false }
            rest = rest[rest.index(after: end)...]
        } else {
            let name = rest.prefix { $0 != colon }
            guard !name.isEmpty, name.allSatisfy(isOfName) else { return false }
            rest = rest[name.endIndex...]
        }
        guard let first = rest.first else { return true }
        return first == colon && rest.dropFirst().count <= 5 && rest.dropFirst().allSatisfy(isDigit)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isHexDigit(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x66).contains(byte | 0x20) }

    /// Letters, digits, and what stands in names.
    private static func isOfName(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x2D || byte == 0x2E || byte == 0x5F
    }
}
