/// The limits of a proxy for its web view.
public struct ProxyLimits: Sendable, Hashable {
    /// The most bytes of a request's body that are held until it is complete. A larger body for a package's service
    /// or web site is streamed, no faster than the service reads it, whatever its size. Bodies for other hosts are
    /// never held.
    public var heldBodySize = 4 << 20
    /// How many seconds to wait for a connection to another host.
    public var connectTimeout = 30
    /// How many seconds a tunnel may carry nothing after one of its ends has closed its direction. Then it is closed.
    /// RFC 5382 section 5 gives a half-closed connection four minutes.
    public var halfClosedTimeout = 240

    public init() {}
}
