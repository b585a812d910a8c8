#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Ports of loopback on which nobody listens.
package enum LoopbackPort {
    package struct None: Error {}

    /// Below those that the kernel gives to clients (Linux: from 32768, macOS: from 49152). While a server of a test is down, a connection of
    /// another test could else have its port, and it would not come up again.
    private static let range = 18_000..<32_000

    /// Different ones: all are taken before the first is given back.
    package static func free(_ count: Int) throws -> [Int] {
        var (ports, descriptors): ([Int], [Int32]) = ([], [])
        defer { for descriptor in descriptors { close(descriptor) } }
        while descriptors.count < 1_000 {
            #if canImport(Glibc)
                let kind = Int32(SOCK_STREAM.rawValue)
            #else
                let kind = SOCK_STREAM
            #endif
            let descriptor = socket(AF_INET, kind, 0)
            descriptors.append(descriptor)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let port = Int.random(in: range)
            address.sin_port = UInt16(port).bigEndian
            let isBound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            if isBound { ports.append(port) }
            if ports.count == count { return ports }
        }
        throw None()
    }
}
