/// An error that the network may have caused. The answer to a page tells an unreachable server from one that sent
/// unsigned content.
public protocol NetworkFault: Error {
    /// Nothing arrived, or not in time: another try may succeed.
    var isUnreachable: Bool { get }
}
