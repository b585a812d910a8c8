import Foundation
import PackFormat

/// Cookies in memory; can be either side.
public final class MemoryCookieStore: WebCookieStore, NativeCookieStore {
    private let stored: Locked<[WebCookie]>

    public init(_ cookies: [WebCookie] = []) {
        stored = Locked(cookies)
    }

    public func cookies() -> [WebCookie] { stored.withLock { $0 } }

    public func set(_ cookie: WebCookie) {
        stored.withLock { stored in
            if let index = stored.firstIndex(where: { $0.key == cookie.key }) {
                stored[index] = cookie
            } else {
                stored.append(cookie)
            }
        }
    }

    public func delete(_ cookie: WebCookie) { stored.withLock { $0.removeAll { $0.key == cookie.key } } }
}
