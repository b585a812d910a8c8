#if canImport(WebKit)
    import Foundation
    public import WebKit

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// A `WKHTTPCookieStore` as the web view's cookie store.
    @MainActor
    public final class AppleCookieStore: WebCookieStore {
        private let store: WKHTTPCookieStore

        public init(_ store: WKHTTPCookieStore) {
            self.store = store
        }

        public func cookies() async -> [WebCookie] { await store.allCookies().map { WebCookie($0) } }

        public func set(_ cookie: WebCookie) async {
            if let cookie = cookie.systemCookie { await store.setCookie(cookie) }
        }

        public func delete(_ cookie: WebCookie) async {
            for known in await store.allCookies() where WebCookie(known).key == cookie.key {
                await store.deleteCookie(known)
            }
        }
    }
#endif
