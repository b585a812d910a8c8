import PackFormat
package import PackUpdater

extension UpdaterNetwork {
    /// libcurl, for programs without Foundation's networking. Proxies are those of the environment (`https_proxy`,
    /// `no_proxy`), authorities the system's, as with URLSession on Linux.
    package static let curl = UpdaterNetwork { CurlClient($0) }
}

/// Sends an updater's requests with libcurl, over connections of its own.
final class CurlClient: NetworkClient {
    private let limits: NetworkLimits
    /// Made when it is first needed: a start needs no network.
    private let loop = Locked<CurlLoop?>(nil)

    init(_ limits: NetworkLimits) {
        self.limits = limits
    }

    func exchange(_ request: NetworkRequest) -> any NetworkExchange {
        let loop = loop.withLock { loop in
            if let loop { return loop }
            let new = CurlLoop(connections: limits.parallelism ?? 0)
            loop = new
            return new
        }
        return CurlExchange(request, limits, loop)
    }
}
