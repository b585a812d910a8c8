import CWebKitGTK
import Dispatch
import Foundation
public import PackWebOnline

/// The cookies of a web context, from its `WebKitCookieManager`.
@MainActor
final class WebKitCookieStore: WebCookieStore {
    private let manager: UnsafeMutablePointer<WebKitCookieManager>
    /// Held, because the manager lives as long as it does: the view may be closed before whoever keeps its cookies.
    nonisolated(unsafe) private let context: UnsafeMutablePointer<WebKitWebContext>

    init(_ context: UnsafeMutablePointer<WebKitWebContext>) {
        g_object_ref(context)
        self.context = context
        manager = webkit_web_context_get_cookie_manager(context)
    }

    deinit {
        nonisolated(unsafe) let context = context
        DispatchQueue.main.async { g_object_unref(context) }
    }

    func cookies() async throws -> [WebCookie] {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<[WebCookie], any Error>) in
            webkit_cookie_manager_get_all_cookies(
                manager, nil,
                { source, result, data in
                    guard let source, let waiter = Waiter<[WebCookie]>.take(data) else { return }
                    let manager = UnsafeMutableRawPointer(source).assumingMemoryBound(to: WebKitCookieManager.self)
                    var fault: UnsafeMutablePointer<GError>?
                    let list = webkit_cookie_manager_get_all_cookies_finish(manager, result, &fault)
                    guard fault == nil else {
                        // The list is empty then, which would be taken for every cookie's deletion.
                        waiter.resume(throwing: PageError.cookies(pageErrorText(fault)))
                        return
                    }
                    var cookies: [WebCookie] = []
                    var item = list
                    while let current = item {
                        if let data = current.pointee.data {
                            cookies += [WebCookie(soup: OpaquePointer(data))].compactMap { $0 }
                            soup_cookie_free(OpaquePointer(data))
                        }
                        item = current.pointee.next
                    }
                    g_list_free(list)
                    waiter.resume(returning: cookies)
                }, Waiter(continuation).held())
        }
    }

    /// libsoup says nothing of a cookie that it does not take: its answer to the call is yes all the same.
    func set(_ cookie: WebCookie) async {
        let soup = cookie.soupCookie()
        defer { soup_cookie_free(soup) }
        _ = try? await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Bool, any Error>) in
            webkit_cookie_manager_add_cookie(
                manager, soup, nil,
                { source, result, data in
                    guard let source, let waiter = Waiter<Bool>.take(data) else { return }
                    let manager = UnsafeMutableRawPointer(source).assumingMemoryBound(to: WebKitCookieManager.self)
                    waiter.resume(returning: webkit_cookie_manager_add_cookie_finish(manager, result, nil) != 0)
                }, Waiter(continuation).held())
        }
    }

    func delete(_ cookie: WebCookie) async {
        let soup = cookie.soupCookie()
        defer { soup_cookie_free(soup) }
        _ = try? await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Bool, any Error>) in
            webkit_cookie_manager_delete_cookie(
                manager, soup, nil,
                { source, result, data in
                    guard let source, let waiter = Waiter<Bool>.take(data) else { return }
                    let manager = UnsafeMutableRawPointer(source).assumingMemoryBound(to: WebKitCookieManager.self)
                    waiter.resume(returning: webkit_cookie_manager_delete_cookie_finish(manager, result, nil) != 0)
                }, Waiter(continuation).held())
        }
    }
}

extension PackageView {
    /// The cookies of this view's pages.
    public var cookieStore: any WebCookieStore { WebKitCookieStore(context) }
}

extension WebCookie {
    /// libsoup writes a domain for all hosts below it with a leading dot.
    fileprivate init?(soup cookie: OpaquePointer) {
        guard let name = soup_cookie_get_name(cookie), let value = soup_cookie_get_value(cookie),
            let domain = soup_cookie_get_domain(cookie).map({ String(cString: $0) }),
            let path = soup_cookie_get_path(cookie)
        else { return nil }
        let expires = soup_cookie_get_expires(cookie).map { date in
            Date(timeIntervalSince1970: TimeInterval(g_date_time_to_unix(date)))
        }
        let sameSite: SameSite? =
            switch soup_cookie_get_same_site_policy(cookie) {
            case SOUP_SAME_SITE_POLICY_STRICT: .strict
            case SOUP_SAME_SITE_POLICY_LAX: .lax
            default: nil
            }
        self.init(
            name: String(cString: name), value: String(cString: value),
            domain: domain.hasPrefix(".") ? String(domain.dropFirst()) : domain, isHostOnly: !domain.hasPrefix("."),
            path: String(cString: path), expires: expires, isSecure: soup_cookie_get_secure(cookie) != 0,
            isHTTPOnly: soup_cookie_get_http_only(cookie) != 0, sameSite: sameSite)
    }

    fileprivate func soupCookie() -> OpaquePointer? {
        let cookie = soup_cookie_new(name, value, isHostOnly ? domain : ".\(domain)", path, -1)
        if let expires {
            let date = g_date_time_new_from_unix_utc(gint64(expires.timeIntervalSince1970))
            soup_cookie_set_expires(cookie, date)
            g_date_time_unref(date)
        }
        soup_cookie_set_secure(cookie, isSecure ? 1 : 0)
        soup_cookie_set_http_only(cookie, isHTTPOnly ? 1 : 0)
        let policy: SoupSameSitePolicy =
            switch sameSite {
            case .strict: SOUP_SAME_SITE_POLICY_STRICT
            case .lax, nil: SOUP_SAME_SITE_POLICY_LAX
            case .some(.none): SOUP_SAME_SITE_POLICY_NONE
            }
        soup_cookie_set_same_site_policy(cookie, policy)
        return cookie
    }
}
