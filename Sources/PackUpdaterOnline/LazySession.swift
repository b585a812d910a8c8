import Foundation
import PackFormat

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A session that is made when it is first asked for: a start needs no network, and a session costs it a millisecond.
final class LazySession: Sendable {
    private let made = Locked<URLSession?>(nil)
    private let configure: @Sendable (URLSessionConfiguration) -> Void
    private let relay: TransferRelay

    /// - Parameter configure: changes a configuration without a cache, and without cookies.
    init(_ relay: TransferRelay, configure: @escaping @Sendable (URLSessionConfiguration) -> Void) {
        self.relay = relay
        self.configure = configure
    }

    deinit {
        made.withLock { $0?.invalidateAndCancel() }
    }

    func callAsFunction() -> URLSession {
        made.withLock { session in
            if let session { return session }
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpShouldSetCookies = false
            configuration.urlCache = nil
            configuration.httpAdditionalHeaders = ["User-Agent": ProductVersion.userAgent("PackUpdater")]
            configure(configuration)
            let new = URLSession(configuration: configuration, delegate: relay, delegateQueue: nil)
            session = new
            return new
        }
    }
}
