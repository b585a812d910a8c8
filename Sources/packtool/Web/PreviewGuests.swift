import HTTPTypes
import Hummingbird
import NIOCore
import PackFormat

/// Devices of the network that may open a preview: who has the address with the token gets a cookie, and comes in with it.
struct PreviewGuests: Sendable {
    private static let cookie = "packtool-preview"
    private static let path = "/-/phone/"

    /// This machine's address in the network.
    let host: String
    private let token: String

    /// - Throws: ``CommandFailure`` where the machine is in no network.
    init() throws {
        var generator = SystemRandomNumberGenerator()
        token = Digest(of: (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }).hex
        let devices = try System.enumerateDevices()
        let addresses = devices.compactMap { device -> String? in
            guard case .v4? = device.address else { return nil }
            return device.address?.ipAddress
        }
        guard let host = addresses.first(where: { !$0.hasPrefix("127.") && !$0.hasPrefix("169.254.") }) else {
            throw CommandFailure("this machine has no address in a network that a phone could reach")
        }
        self.host = host
    }

    func url(port: Int) -> String { "http://\(host):\(port)\(Self.path)\(token)" }

    /// Whether a request comes from a device that was let in. Its name for us has to be the address: a name could be made to
    /// mean this machine by somebody else's page (DNS rebinding).
    func admits(_ request: Request) -> Bool {
        guard isForUs(request) else { return false }
        return request.headers[values: .cookie].contains { field in
            field.split(separator: ";").contains {
                $0.trimmingPrefix { $0 == " " }.utf8.elementsEqual("\(Self.cookie)=\(token)".utf8)
            }
        }
    }

    /// The answer to who came by the address with the token: the cookie, and the way to the first page. nil for anybody else.
    func welcome(_ request: Request) -> Response? {
        guard isForUs(request), request.uri.path.utf8.elementsEqual((Self.path + token).utf8) else { return nil }
        return Response(
            status: .seeOther,
            headers: [
                .location: "/", .cacheControl: "no-store",
                .setCookie: "\(Self.cookie)=\(token); Path=/; HttpOnly; SameSite=Strict",
            ])
    }

    private func isForUs(_ request: Request) -> Bool {
        request.head.authority.map { $0 == host || $0.hasPrefix(host + ":") } ?? false
    }
}
