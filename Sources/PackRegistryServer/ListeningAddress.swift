import Foundation
import NIOCore
import NIOPosix
import PackRegistryAPI

/// Where a server is to listen.
package struct ListeningAddress: Sendable {
    package let host: String
    /// 0: any free one.
    package let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Listens there for a moment, so that a fault is told before work is done that takes long.
    /// - Throws: ``RegistryError`` of the kind `.unusable` if the address cannot be had.
    package func check() async throws {
        do {
            let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            try await bootstrap.bind(host: host, port: port).get().close()
        } catch {
            throw explained(error)
        }
    }

    /// What a person can do about an error of listening there; other errors as they are.
    func explained(_ error: any Error) -> any Error {
        switch error {
        case let error as IOError: RegistryError(.unusable, explanation(of: error))
        case is SocketAddressError, is SocketAddressError.UnknownHost:
            RegistryError(.unusable, "the host \(host) is not known to this machine: choose another --host")
        default: error
        }
    }

    private func explanation(of error: IOError) -> String {
        let address = "\(host):\(port)"
        return switch error.errnoCode {
        case EADDRINUSE: "the address \(address) is in use: stop the other program or choose another --port"
        case EACCES: "the address \(address) needs more rights: choose a --port above 1023"
        case EADDRNOTAVAIL: "this machine has no address \(host): choose another --host"
        default: "the server cannot listen on \(address): \(error)"
        }
    }
}
