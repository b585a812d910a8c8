/// Why the web side could not do what the caller requested. Each case has a message that a person can act on.
public enum WebError: Error, Equatable, Sendable, CustomStringConvertible {
    case invalidRules(String)
    case unreadableFile(String, reason: String)

    /// The headers of the engine's request announce a body, but the body is missing.
    case bodyLost(method: String, url: String)
    case notHTTP(String)
    case notMounted
    /// A client has stopped reading, and the network cannot be made to wait for it.
    case notRead(byteCount: Int)
    /// The page hook hands bodies over where a scheme loses them, and a proxy would not give them back.
    case hookNeedsScheme

    public var description: String {
        switch self {
        case .invalidRules(let reason): "the web rules are not valid: \(reason)"
        case .unreadableFile(let path, let reason):
            "the installed file \(path) cannot be read: \(reason); repair the package"
        case .bodyLost(let method, let url):
            "the body of \(method) \(url) did not reach the app: switch the page hook on; nothing was sent"
        case .notHTTP(let url): "\(url) was not answered by HTTP"
        case .notRead(let byteCount): "more than \(byteCount) bytes wait for pages that do not read them"
        case .hookNeedsScheme: "the page hook hands bodies over for a scheme only: a proxy loses none; take off or full"
        case .notMounted: "no packages are mounted: call PackURLProtocol.mount(_:) before the first request"
        }
    }
}
