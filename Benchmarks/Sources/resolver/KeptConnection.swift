import Glibc

/// One HTTP connection that is kept, as a browser keeps it.
final class KeptConnection {
    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isRefused = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) != 0
            }
        }
        if isRefused { throw Fault("nothing answers on port \(port)") }
        var isOn: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        close(descriptor)
    }

    /// - Returns: the bytes of the answer's body.
    func get(_ path: String, _ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let request = Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        guard write(descriptor, request, request.count) == request.count, let base = buffer.baseAddress else {
            throw Fault("the server has closed the connection")
        }
        var count = 0
        var head: (size: Int, length: Int)?
        while head.map({ count < $0.size + $0.length }) ?? true {
            let got = read(descriptor, base + count, buffer.count - count)
            guard got > 0 else { throw Fault("the server has closed the connection") }
            count += got
            if head == nil, let size = Self.headSize(buffer[..<count]) {
                head = (size, Self.length(String(decoding: buffer[..<size], as: UTF8.self)))
            }
        }
        return count - (head?.size ?? 0)
    }

    /// Up to the empty line, which is sought in the first bytes only.
    private static func headSize(_ bytes: Slice<UnsafeMutableRawBufferPointer>) -> Int? {
        (4...max(4, min(bytes.count, 1024))).first { end in
            end <= bytes.count && bytes[end - 4] == 13 && bytes[end - 3] == 10 && bytes[end - 2] == 13
                && bytes[end - 1] == 10
        }
    }

    private static func length(_ head: String) -> Int {
        let field = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        return field.flatMap { Int($0.dropFirst(15).filter { $0 != " " }) } ?? 0
    }
}
