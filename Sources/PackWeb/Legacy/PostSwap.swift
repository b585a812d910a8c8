public import Foundation
import PackFormat

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A page that is opened by POST keeps its body on the way through a web view that loses it.
///
///     let url = swap.begin(request)           // post://…: load this in the web view
///     // in the scheme handler of "post":
///     if let original = swap.restore(asked) { driver.start(task, request: original) }
///
/// The whole request stays here under an id that is good for one use; the web view sees a URL with that id. What is restored
/// has the original scheme, method, fields and body, and nothing of the id reaches the server. What the page loads
/// relative to a `post://` address is restored to the scheme that its host was opened with. Prefer the loopback proxy, which
/// needs none of this.
public final class PostSwap: Sendable {
    public static let scheme = "post"
    private static let parameter = "packtool-post"

    fileprivate struct State {
        var requests: [String: URLRequest] = [:]
        /// Ids, oldest first.
        var order: [String] = []
        var byteCount = 0
        /// The scheme that a host was opened with, http or https.
        var schemes: [String: String] = [:]
    }

    private let maximumByteCount: Int
    private let state = Locked(State())

    /// - Parameter maximumByteCount: bytes of bodies that wait at once; the oldest go first.
    public init(maximumByteCount: Int = 32 << 20) {
        self.maximumByteCount = maximumByteCount
    }

    /// Keeps a request and gives the address to load in its place; nil where it is no http request with a body in memory.
    public func begin(_ request: URLRequest) -> URL? {
        guard let url = request.url, let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let body = request.httpBody, body.count <= maximumByteCount,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true), let authority = Self.authority(parts)
        else { return nil }
        let id = UUID().uuidString
        parts.scheme = Self.scheme
        let tag = "\(Self.parameter)=\(id)"
        parts.percentEncodedQuery = parts.percentEncodedQuery.map { "\($0)&\(tag)" } ?? tag
        guard let swapped = parts.url else { return nil }
        state.withLock { state in
            state.requests[id] = request
            state.order.append(id)
            state.byteCount += body.count
            state.schemes[authority] = scheme
            while state.byteCount > maximumByteCount, let oldest = state.order.first { state.forget(oldest) }
        }
        return swapped
    }

    /// The request behind one that the web view made; nil where its id was used, is unknown or too old.
    public func restore(_ request: URLRequest) -> URLRequest? {
        guard let url = request.url, url.scheme?.lowercased() == Self.scheme,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true), let authority = Self.authority(parts)
        else { return nil }
        let fields = (parts.percentEncodedQuery ?? "").split(separator: "&")
        if let tag = fields.last(where: { $0.hasPrefix(Self.parameter + "=") }) {
            let id = String(tag.dropFirst(Self.parameter.count + 1))
            return state.withLock { state in
                let original = state.requests[id]
                state.forget(id)
                return original
            }
        }
        guard let scheme = state.withLock({ $0.schemes[authority] }) else { return nil }
        parts.scheme = scheme
        guard let original = parts.url else { return nil }
        var copy = request
        copy.url = original
        return copy
    }

    /// How many requests wait.
    public var waitingCount: Int { state.withLock { $0.requests.count } }

    private static func authority(_ parts: URLComponents) -> String? {
        parts.host.map { host in parts.port.map { "\(host.lowercased()):\($0)" } ?? host.lowercased() }
    }
}

extension PostSwap.State {
    fileprivate mutating func forget(_ id: String) {
        guard let request = requests.removeValue(forKey: id) else { return }
        order.removeAll { $0 == id }
        byteCount -= request.httpBody?.count ?? 0
    }
}
