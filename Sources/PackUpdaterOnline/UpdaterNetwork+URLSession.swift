public import Foundation
public import PackFormat
public import PackUpdater

extension UpdaterNetwork {
    /// URLSession: the system's proxies and authorities.
    public static let urlSession = UpdaterNetwork { URLSessionClient($0) }
}

extension UpdaterConfiguration {
    /// The settings of an updater that reaches its registry by URLSession.
    public init(store: URL, base: URL, channel: ChannelName, root: [UInt8]? = nil) {
        self.init(store: store, base: base, channel: channel, root: root, reach: .urlSession)
    }
}

extension HTTPTransport {
    package convenience init(base: URL, limits: TransferLimits = TransferLimits()) {
        self.init(base: base, limits: limits, reach: .urlSession)
    }
}
