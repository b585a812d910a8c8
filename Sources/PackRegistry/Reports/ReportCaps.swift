package import PackFormat

/// How many events one sender and one network may send in an hour. Anybody can send reports; without the caps one
/// machine could fill the disk, or pretend to be a crowd.
package struct ReportCaps: Sendable {
    package struct Limits: Hashable, Sendable {
        /// Events of one report id in an hour.
        package var perSender = 5_000
        /// Events of one network (an IPv4 /24, an IPv6 /48) in an hour; 0: no cap.
        package var perNetwork = 100_000
        /// Senders and networks that are remembered in an hour; beyond it new ones wait for the next.
        package var maximumCount = 500_000

        package init() {}
    }

    private let limits: Limits
    private var hour = 0
    private var senders: [ReportID: Int] = [:]
    private var networks: [[UInt8]: Int] = [:]

    package init(_ limits: Limits) {
        self.limits = limits
    }

    /// Counts the events, unless they are too many.
    /// - Parameters:
    ///   - network: the first bytes of the address; nil if there is none.
    ///   - now: seconds since 1970.
    /// - Returns: nil if they are admitted, else the seconds after which they may come again.
    package mutating func admit(_ count: Int, of sender: ReportID, from network: [UInt8]?, now: Int) -> Int? {
        // An empty batch brings nothing, so it takes no place from those that do.
        guard count > 0 else { return nil }
        if now / 3600 != hour {
            hour = now / 3600
            senders = [:]
            networks = [:]
        }
        let wait = 3600 - now % 3600
        let bySender = senders[sender, default: 0] + count
        guard bySender <= limits.perSender, senders[sender] != nil || senders.count < limits.maximumCount else {
            return wait
        }
        if let network, limits.perNetwork > 0 {
            let byNetwork = networks[network, default: 0] + count
            guard byNetwork <= limits.perNetwork, networks[network] != nil || networks.count < limits.maximumCount
            else { return wait }
            networks[network] = byNetwork
        }
        senders[sender] = bySender
        return nil
    }
}
