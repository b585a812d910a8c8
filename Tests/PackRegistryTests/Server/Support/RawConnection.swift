import Foundation

#if canImport(Glibc)
    import CDispatch  // `stat` belongs to it or to Glibc, whichever module was loaded first.
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One answer as it came over the socket.
struct RawAnswer: CustomStringConvertible {
    let status: Int
    /// By lower-case name; several lines joined by `, `.
    let fields: [String: String]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
    var description: String { "\(status) \(fields) \(text.prefix(200))" }

    subscript(name: String) -> String? { fields[name] }
}

/// A socket to a server, so that tests can say things that no HTTP library would. Calls block on threads of their own,
/// never on those that the server runs on.
final class RawConnection: @unchecked Sendable {
    struct Closed: Error {}

    private let descriptor: Int32
    private var pending: [UInt8] = []

    /// - Parameter client: the last byte of the address 127.0.0.N that the server is to see.
    init(port: Int, timeout: Int = 30, client: UInt8 = 1) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var time = timeval(tv_sec: timeout, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        if client != 1 {
            var own = sockaddr_in()
            own.sin_family = sa_family_t(AF_INET)
            own.sin_addr.s_addr = (UInt32(0x7F00_0000) | UInt32(client)).bigEndian
            _ = withUnsafePointer(to: &own) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            throw Closed()
        }
    }

    deinit {
        close(descriptor)
    }

    /// Sends bytes as they are; false when the other side has gone.
    @discardableResult
    func send(_ bytes: [UInt8]) async -> Bool {
        await onThread { [self] in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { bytes in
                    Self.uninterrupted {
                        Foundation.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                    }
                }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    @discardableResult
    func send(_ text: String) async -> Bool { await send(Array(text.utf8)) }

    /// Says that nothing more comes, and goes on reading.
    func finish() async {
        await onThread { [self] in _ = shutdown(descriptor, Int32(SHUT_WR)) }
    }

    /// Ends the connection at once, as a killed client does.
    func abort() async {
        await onThread { [self] in
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Foundation.linger>.size))
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }

    /// Reads one answer.
    /// - Parameter pause: microseconds before each 64 KiB of the body.
    /// - Throws: ``Closed`` when the other side goes before its end.
    func answer(toHead: Bool = false, pause: UInt32 = 0) async throws -> RawAnswer {
        try await onThread { [self] in
            while true {
                let head = try head()
                if head.status == 100 { continue }
                var body: [UInt8] = []
                if !toHead, head.status != 304, head.status != 204 {
                    let length = head.fields["content-length"].flatMap { Int($0) }
                    guard let length else { throw Closed() }
                    while pending.count < length {
                        if pause > 0 { usleep(pause) }
                        try receive()
                    }
                    body = Array(pending.prefix(length))
                    pending.removeFirst(length)
                }
                return RawAnswer(status: head.status, fields: head.fields, body: body)
            }
        }
    }

    /// Waits until something has come, and leaves it where it is.
    func hasAnswer() async -> Bool {
        await onThread { [self] in
            var byte: UInt8 = 0
            return Self.uninterrupted { recv(descriptor, &byte, 1, Int32(MSG_PEEK)) } == 1
        }
    }

    /// Waits for the other side to close; false when it does not within the timeout.
    func isClosedByServer() async -> Bool {
        await onThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = Self.uninterrupted { recv(descriptor, &buffer, buffer.count, 0) }
                if count > 0 { continue }
                return count == 0 || errno == ECONNRESET
            }
        }
    }

    private func head() throws -> (status: Int, fields: [String: String]) {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let range = pending.firstRange(of: end) {
                let lines = String(decoding: pending[..<range.lowerBound], as: UTF8.self).components(
                    separatedBy: "\r\n")
                pending.removeSubrange(..<range.upperBound)
                let status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) }
                var fields: [String: String] = [:]
                for line in lines.dropFirst() {
                    let parts = line.split(separator: ":", maxSplits: 1)
                    let name = parts[0].lowercased()
                    let value = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
                    fields[name] = fields[name].map { $0 + ", " + value } ?? value
                }
                guard let status else { throw Closed() }
                return (status, fields)
            }
            try receive()
        }
    }

    private func receive() throws {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = Self.uninterrupted { recv(descriptor, &buffer, buffer.count, 0) }
        guard count > 0 else { throw Closed() }
        pending += buffer.prefix(count)
    }

    /// A process that is stopped and goes on has its waiting calls interrupted (signal(7), sockets with a timeout).
    private static func uninterrupted(_ call: () -> Int) -> Int {
        while true {
            let count = call()
            if count >= 0 || errno != EINTR { return count }
        }
    }

    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }

    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }
}
