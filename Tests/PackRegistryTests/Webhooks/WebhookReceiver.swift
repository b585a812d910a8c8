import Foundation
import PackFormat

#if canImport(Glibc)
    import Glibc
#endif

/// A receiver of webhooks on a free port of the loopback, which answers what a test says.
final class WebhookReceiver: Sendable {
    struct Received: Sendable {
        let fields: [String: String]
        let body: [UInt8]
        let target: String
    }

    let port: Int
    private let descriptor: Int32
    private let received = Locked<[Received]>([])
    private let answers = Locked<[String]>([])

    /// What is answered, one after the other; then 204.
    func answer(_ lines: String...) { answers.withLock { $0 = lines } }

    var all: [Received] { received.withLock { $0 } }

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw RawConnection.Closed() }
        port = Int(UInt16(bigEndian: address.sin_port))
        let thread = Thread { [weak self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                self?.serve(connection)
                close(connection)
            }
        }
        thread.start()
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    private func serve(_ connection: Int32) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var wanted = Int.max
        while bytes.count < wanted {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
            let text = String(decoding: bytes, as: UTF8.self)
            guard wanted == .max, let end = text.range(of: "\r\n\r\n") else { continue }
            let head = text[..<end.lowerBound].split(separator: "\r\n")
            let fields = Dictionary(
                head.dropFirst().compactMap { line -> (String, String)? in
                    let parts = line.split(separator: ":", maxSplits: 1)
                    guard parts.count == 2 else { return nil }
                    return (parts[0].lowercased(), parts[1].trimmingCharacters(in: .whitespaces))
                }, uniquingKeysWith: { $1 })
            wanted = text[..<end.upperBound].utf8.count + (Int(fields["content-length"] ?? "") ?? 0)
            while bytes.count < wanted {
                let count = recv(connection, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                bytes += buffer.prefix(count)
            }
            let target = head.first?.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            let body = Array(bytes.suffix(Int(fields["content-length"] ?? "") ?? 0))
            received.withLock { $0.append(Received(fields: fields, body: body, target: target)) }
        }
        let line = answers.withLock { $0.isEmpty ? "204 No Content" : $0.removeFirst() }
        let answer = Array("HTTP/1.1 \(line)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
        _ = answer.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
}
