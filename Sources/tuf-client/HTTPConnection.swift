import Foundation

#if canImport(Glibc)
    import CDispatch  // `stat` belongs to it or to Glibc, whichever module was loaded first.
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One TCP connection for one GET (RFC 9112). The kernel's receive timeout ends a silent connection, and a deadline
/// on the monotonic clock ends one that is too slow.
struct HTTPConnection: ~Copyable {
    enum Fault: Error, CustomStringConvertible {
        case unreachable(String)
        case broken(String)
        case tooLarge
        case tooSlow

        var description: String {
            switch self {
            case .unreachable(let reason): "the server cannot be reached: \(reason)"
            case .broken(let reason): "the answer is broken: \(reason)"
            case .tooLarge: "the answer is too large"
            case .tooSlow: "the answer is too slow"
            }
        }
    }

    struct Response {
        let status: Int
        let body: [UInt8]
    }

    /// How long an answer may take, in seconds.
    struct Patience {
        /// Without a byte.
        var silence = 20
        /// For a whole answer of up to 1 MB; each further MB has 20 seconds more.
        var answer = 60
    }

    private static let headLimit = 65_536

    private let descriptor: Int32
    private let patience: Patience
    private var buffer: [UInt8] = []
    private var deadline: UInt64 = .max

    init(to address: HTTPAddress, patience: Patience = Patience()) throws {
        self.patience = patience
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Self.streamType
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(address.host, String(address.port), &hints, &found)
        guard status == 0 else { throw Fault.unreachable(String(cString: gai_strerror(status))) }
        defer { freeaddrinfo(found) }
        var reason = "it has no address"
        var connected: Int32?
        var next = found
        while connected == nil, let candidate = next?.pointee {
            let socket = socket(candidate.ai_family, candidate.ai_socktype, candidate.ai_protocol)
            var limit = timeval(tv_sec: patience.silence, tv_usec: 0)
            let size = socklen_t(MemoryLayout<timeval>.size)
            setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
            setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
            if socket >= 0, connect(socket, candidate.ai_addr, candidate.ai_addrlen) == 0 {
                connected = socket
            } else {
                reason = String(cString: strerror(errno))
                if socket >= 0 { close(socket) }
            }
            next = candidate.ai_next
        }
        guard let connected else { throw Fault.unreachable(reason) }
        descriptor = connected
    }

    deinit {
        close(descriptor)
    }

    mutating func get(_ path: String, host: String, maximumByteCount: Int) throws -> Response {
        let megabytes = UInt64(max(0, maximumByteCount) / 1_000_000)
        deadline = Self.uptime + UInt64(patience.answer) + 20 * megabytes
        try send(
            "GET \(path) HTTP/1.1\r\nHost: \(host)\r\nUser-Agent: tuf-client\r\nAccept-Encoding: identity\r\n"
                + "Connection: close\r\n\r\n")
        let head = try HTTPHead(lines: try readHead())
        guard head.status == 200 else { return Response(status: head.status, body: []) }
        if head.isChunked { return Response(status: 200, body: try readChunks(limit: maximumByteCount)) }
        if let length = head.length {
            guard length <= maximumByteCount else { throw Fault.tooLarge }
            return Response(status: 200, body: try read(length))
        }
        while try fill() { if buffer.count > maximumByteCount { throw Fault.tooLarge } }
        return Response(status: 200, body: buffer)
    }

    private func send(_ text: String) throws {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(Self.noSignal))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Fault.unreachable(String(cString: strerror(errno))) }
            bytes = bytes.dropFirst(count)
        }
    }

    private mutating func readHead() throws -> [String] {
        var lines: [String] = []
        var size = 0
        while true {
            let line = try readLine()
            size += line.utf8.count + 2
            guard size <= Self.headLimit else { throw Fault.broken("its head is endless") }
            if line.isEmpty, !lines.isEmpty { return lines }
            lines.append(line)
        }
    }

    private mutating func readLine() throws -> String {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                var line = buffer[..<end]
                if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
                let text = String(decoding: line, as: UTF8.self)
                buffer.removeSubrange(...end)
                return text
            }
            guard buffer.count <= Self.headLimit else { throw Fault.broken("a line is endless") }
            guard try fill() else { throw Fault.broken("it ends early") }
        }
    }

    private mutating func readChunks(limit: Int) throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let digits = try readLine().prefix { $0.isHexDigit }
            guard let size = Int(digits, radix: 16) else { throw Fault.broken("a chunk has no size") }
            guard size <= limit - body.count else { throw Fault.tooLarge }
            if size == 0 { return body }
            body += try read(size)
            guard try readLine().isEmpty else { throw Fault.broken("a chunk is longer than its size") }
        }
    }

    private mutating func read(_ count: Int) throws -> [UInt8] {
        while buffer.count < count {
            guard try fill() else { throw Fault.broken("it has \(buffer.count) bytes of \(count)") }
        }
        let bytes = Array(buffer[..<count])
        buffer.removeSubrange(..<count)
        return bytes
    }

    /// Reads what is there; false at the end of the stream.
    private mutating func fill() throws -> Bool {
        guard Self.uptime < deadline else { throw Fault.tooSlow }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        if count < 0 {
            switch errno {
            case EINTR: return true
            case EAGAIN: throw Fault.tooSlow
            default: throw Fault.broken(String(cString: strerror(errno)))
            }
        }
        buffer += chunk.prefix(count)
        return count > 0
    }

    private static var uptime: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(max(0, time.tv_sec))
    }

    #if canImport(Glibc)
        private static let streamType = Int32(SOCK_STREAM.rawValue)
        private static let noSignal = MSG_NOSIGNAL
    #else
        private static let streamType = SOCK_STREAM
        private static let noSignal = 0
    #endif
}
