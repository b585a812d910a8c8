import Foundation
import PackFormat

/// A small HTTP server on a loopback port, real sockets, that can misbehave in every way a network can.
final class LocalServer: Sendable {
    /// What is done with one request.
    enum Answer: Sendable {
        /// The file of the folder, with ETag and Range.
        case file
        /// As `file`, but the connection ends after so many bytes of the body.
        case cut(after: Int)
        /// As `file`, but after so many bytes of the body nothing more comes.
        case stall(after: Int)
        /// A status without a body.
        case status(Int, headers: [String: String] = [:])
        /// 200 without a length, and zeros for ever.
        case endless
        /// 200 with a body that is not the file's.
        case body([UInt8])
        /// The same under header fields.
        case fields([String: String], [UInt8])
        /// Bytes under an ETag that says nothing of them, with Range; the connection ends after so many of the body.
        case tagged(String, Data, cutAfter: Int?)
        /// 206 that begins where nobody asked.
        case wrongRange
    }

    struct Request: Sendable {
        let path: String
        /// By lower-case name.
        let headers: [String: String]
        /// Counted from 1, for this path.
        let count: Int
    }

    let port: UInt16
    private let listener: Int32
    private let log = RequestLog()

    /// - Parameter answer: called for each request; `.file` reads from `folder`.
    init(_ folder: URL, answer: @escaping @Sendable (Request) -> Answer = { _ in .file }) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        listener = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard bound else { throw POSIXError(.EADDRINUSE) }
        port = UInt16(bigEndian: address.sin_port)
        let log = log
        Thread.detachNewThread {
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread { Self.serve(connection, folder, log, answer) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    var base: URL { URL(string: "http://127.0.0.1:\(port)") ?? URL(filePath: "/") }

    /// Each request so far: its path, and its Range if it had one.
    var requests: [String] { log.lines }

    /// The bytes of bodies without an end that clients took.
    var endlessCount: Int { log.endlessCount }

    private static func serve(
        _ connection: Int32, _ folder: URL, _ log: RequestLog, _ answer: (Request) -> Answer
    ) {
        defer { close(connection) }
        while let (path, headers) = readRequest(connection) {
            let count = log.note(path, headers["range"])
            let request = Request(path: path, headers: headers, count: count)
            guard respond(to: request, answer(request), folder, connection, log) else { return }
        }
    }

    /// - Returns: whether the connection can go on.
    private static func respond(
        to request: Request, _ answer: Answer, _ folder: URL, _ connection: Int32, _ log: RequestLog
    ) -> Bool {
        switch answer {
        case .status(let status, let headers):
            return send(connection, head(status, headers.merging(["Content-Length": "0"]) { given, _ in given }))
        case .endless:
            guard send(connection, head(200, [:])) else { return false }
            let piece = [UInt8](repeating: 0, count: 1 << 16)
            while send(connection, piece) { log.noteEndless(piece.count) }
            return false
        case .body(let bytes):
            return send(connection, head(200, ["Content-Length": "\(bytes.count)", "ETag": "\"other\""]) + bytes)
        case .fields(let fields, let bytes):
            let fields = fields.merging(["Content-Length": "\(bytes.count)"]) { given, _ in given }
            return send(connection, head(200, fields) + bytes)
        case .wrongRange:
            return send(connection, head(206, ["Content-Length": "1", "Content-Range": "bytes 7-7/9"]) + [0])
        case .file, .cut, .stall, .tagged:
            let data: Data
            let tag: String
            if case .tagged(let name, let bytes, _) = answer {
                (data, tag) = (bytes, "\"\(name)\"")
            } else {
                guard let read = try? Data(contentsOf: folder.appending(path: request.path)) else {
                    return send(connection, head(404, ["Content-Length": "0"]))
                }
                data = read
                tag = "\"\(Digest(of: data))\""
            }
            if request.headers["if-none-match"] == tag { return send(connection, head(304, ["ETag": tag])) }
            var body = Array(data)
            var head = head(200, ["Content-Length": "\(body.count)", "ETag": tag])
            if let range = request.headers["range"], request.headers["if-range"] == tag,
                let start = Int(range.dropFirst("bytes=".count).dropLast())
            {
                guard start < body.count else {
                    let range = ["Content-Length": "0", "Content-Range": "bytes */\(body.count)"]
                    return send(connection, Self.head(416, range))
                }
                body = Array(body[start...])
                head = Self.head(
                    206,
                    [
                        "Content-Length": "\(body.count)", "ETag": tag,
                        "Content-Range": "bytes \(start)-\(data.count - 1)/\(data.count)",
                    ])
            }
            switch answer {
            case .cut(let count), .tagged(_, _, cutAfter: let count?):
                _ = send(connection, head + body.prefix(count))
                return false
            case .stall(let count):
                _ = send(connection, head + body.prefix(count))
                // Until the client gives up.
                var byte: UInt8 = 0
                while recv(connection, &byte, 1, 0) > 0 {}
                return false
            default: return send(connection, head + body)
            }
        }
    }

    private static func head(_ status: Int, _ headers: [String: String]) -> [UInt8] {
        let lines = headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }.joined()
        return Array("HTTP/1.1 \(status) Status\r\n\(lines)\r\n".utf8)
    }

    private static func send(_ connection: Int32, _ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func readRequest(_ connection: Int32) -> (path: String, headers: [String: String])? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while !bytes.suffix(4).elementsEqual(Array("\r\n\r\n".utf8)) {
            guard recv(connection, &byte, 1, 0) == 1, bytes.count < 1 << 16 else { return nil }
            bytes.append(byte)
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first?.split(separator: " "), first.count == 3 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        let path = String(first[1].dropFirst())
        return (path.removingPercentEncoding ?? path, headers)
    }

    /// What was asked for; the threads of the connections share it.
    private final class RequestLog: @unchecked Sendable {
        private let lock = NSLock()
        private var entries: [(path: String, range: String?)] = []
        private var endless = 0

        /// The bytes of bodies without an end that clients took.
        var endlessCount: Int { lock.withLock { endless } }

        func noteEndless(_ count: Int) { lock.withLock { endless += count } }

        var lines: [String] {
            lock.withLock { entries.map { $0.path + ($0.range.map { " " + $0 } ?? "") } }
        }

        func note(_ path: String, _ range: String?) -> Int {
            lock.withLock {
                entries.append((path, range))
                return entries.count { $0.path == path }
            }
        }
    }
}
