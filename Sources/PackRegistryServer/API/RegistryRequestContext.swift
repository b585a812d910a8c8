package import Hummingbird
import PackRegistryAPI
import Synchronization

/// The server's data that belongs to one request.
package struct RegistryRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// Names the request in the log and in `X-Request-Id`, unless a trusted proxy named it. Ours, because the framework
    /// reads its own back from the logger, which a log handler without metadata does not keep.
    let requestID = RequestID()
    /// Who is at the other end of the connection: an address without a port.
    let peer: String?
    let bodyShare = BodyMemory.Share()
    let caller = Caller()

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress?.ipAddress
    }

    /// Whose token a request has, for the log.
    final class Caller: Sendable {
        private let noted = Mutex<String?>(nil)

        /// The token's name and id; nil before it is known, and without a valid token.
        var name: String? { noted.withLock(\.self) }

        func note(_ identity: Identity) { noted.withLock { $0 = identity.name } }
    }
}
