/// A fault of which the network may be the cause: whoever answers a page tells a server that is away from one that gives
/// what nobody signed.
public protocol NetworkFault: Error {
    /// Nothing came, or not in time: asking again may help.
    var isUnreachable: Bool { get }
}
