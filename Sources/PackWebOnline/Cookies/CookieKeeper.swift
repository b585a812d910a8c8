public import Foundation
import PackFormat

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Keeps the app's cookies equal to the web view's, in all five directions that hybrid apps need.
///
///     let keeper = CookieKeeper(native: SystemCookieStore(.shared), web: store)
///     await keeper.takeFromWebView()        // before a navigation's answer is allowed: web view → app
///     await keeper.giveToWebView()          // before a navigation is allowed: app → web view
///     keeper.apply(to: &request, page: url) // before native code sends a page's request: app → request
///     keeper.store(response, from: url)     // each hop of its answer: answer → app
///     keeper.setScriptCookie(text, at: url) // document.cookie of a page: script → app
///
/// The app's store is the one that is asked; the web view's follows. A deletion and an expiry are carried like a new value.
/// What one side refuses stays in the other: a web view takes no cookie of a public suffix, which `shop` is, and Foundation
/// none without a name.
public final class CookieKeeper: CookieAuthority {
    private struct State {
        /// What both stores held when they were last equal; of what one refused, what that one held.
        var base: [WebCookie.Key: WebCookie] = [:]
        /// One merge after the other: its steps wait for the web view.
        var last: Task<Void, Never>?
    }

    private let native: any NativeCookieStore
    private let web: Locked<(any WebCookieStore)?>
    private let now: @Sendable () -> Date
    private let state = Locked(State())

    public init(
        native: any NativeCookieStore, web: (any WebCookieStore)? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.native = native
        self.web = Locked(web)
        self.now = now
    }

    /// Sets the web view's store if the view is made after the keeper.
    public func attach(_ web: any WebCookieStore) { self.web.withLock { $0 = web } }

    // MARK: Both stores

    /// Copies the web view's changes to the app. Returns when they are stored.
    public func takeFromWebView() async { await merge(preferring: .web) }

    /// Copies the app's changes to the web view. Returns when they are stored.
    public func giveToWebView() async { await merge(preferring: .native) }

    private func merge(preferring side: CookieMerge.Side) async {
        let task = state.withLock { state in
            let previous = state.last
            let task = Task {
                await previous?.value
                await self.mergeNow(preferring: side)
            }
            state.last = task
            return task
        }
        await task.value
    }

    private func mergeNow(preferring side: CookieMerge.Side) async {
        // A view that does not say what it has is asked at the next occasion: nothing is gone for that.
        guard let web = web.withLock({ $0 }), let theirs = try? await web.cookies() else { return }
        let merge = state.withLock { state in
            let before = native.cookies()
            var merge = CookieMerge(base: state.base, native: before, web: theirs, preferring: side, now: now())
            for change in merge.native {
                switch change {
                case .set(let cookie): native.set(cookie)
                case .delete(let cookie): native.delete(cookie)
                }
            }
            if !merge.native.isEmpty { merge.keepRefusals(of: merge.native, before: before, after: native.cookies()) }
            state.base = merge.result
            return merge
        }
        guard !merge.web.isEmpty else { return }
        for change in merge.web {
            switch change {
            case .set(let cookie): await web.set(cookie)
            case .delete(let cookie): await web.delete(cookie)
            }
        }
        // Unsaid is refused: a change that is made twice does no harm, one that is taken for made would be undone.
        let kept = (try? await web.cookies()) ?? theirs
        state.withLock { state in
            var merge = merge
            merge.keepRefusals(of: merge.web, before: theirs, after: kept)
            state.base = merge.result
        }
    }

    // MARK: Requests that native code sends

    /// Sets the `Cookie` field of a request to the app's cookies.
    /// - Parameters:
    ///   - page: the page that makes the request; nil: the app itself.
    ///   - isNavigation: whether the answer replaces the page.
    public func apply(to request: inout URLRequest, page: URL?, isNavigation: Bool = false) {
        apply(to: &request, page: page, isNavigation: isNavigation, relocation: nil)
    }

    /// The page's address and the one that the request goes to are one place: its cookies are those of both, and of two
    /// with one name the page's.
    func apply(to request: inout URLRequest, page: URL?, isNavigation: Bool, relocation: Relocation?) {
        guard let url = request.url else { return }
        var cookies = cookies(to: url, from: page, isNavigation: isNavigation, method: request.httpMethod ?? "GET")
        if let relocation, let own = relocation.pageAddress(of: url) {
            let asking = page.map { relocation.pageAddress(of: $0) ?? $0 }
            let first = self.cookies(
                to: own, from: asking, isNavigation: isNavigation, method: request.httpMethod ?? "GET")
            let names = Set(first.map(\.name))
            cookies = first + cookies.filter { !names.contains($0.name) }
        }
        request.setValue(CookieScope.header(cookies), forHTTPHeaderField: "Cookie")
    }

    private func cookies(to url: URL, from page: URL?, isNavigation: Bool, method: String) -> [WebCookie] {
        knownCookies().filter {
            CookieScope.admits($0, to: url, now: now())
                && CookieScope.admits($0, from: page, to: url, isNavigation: isNavigation, method: method)
        }
    }

    /// Stores the cookies of an answer. Call it for each hop of a redirect with that hop's URL.
    public func store(_ response: HTTPURLResponse, from url: URL) { store(response, from: url, relocation: nil) }

    /// What comes from where a page's request was sent is the page's own, which its scripts see.
    func store(_ response: HTTPURLResponse, from url: URL, relocation: Relocation?) {
        let own = relocation?.pageAddress(of: url)
        for (name, value) in response.allHeaderFields
        where String(describing: name).lowercased() == "set-cookie" {
            for field in SetCookieList.split(String(describing: value)) {
                keep(own == nil ? field : relocation?.pageCookie(field) ?? field, from: .server, at: own ?? url)
            }
        }
    }

    /// Stores the cookies of `Set-Cookie` fields, joined by commas or not.
    public func store(setCookie fields: String, from url: URL) {
        for field in SetCookieList.split(fields) { keep(field, from: .server, at: url) }
    }

    // MARK: Scripts

    public func scriptCookies(at page: URL) -> String {
        let cookies = knownCookies().filter { !$0.isHTTPOnly && CookieScope.admits($0, to: page, now: now()) }
        return CookieScope.header(cookies) ?? ""
    }

    public func setScriptCookie(_ text: String, at page: URL) { keep(text, from: .script, at: page) }

    private func keep(_ text: String, from source: WebCookie.Source, at url: URL) {
        let now = now()
        guard let cookie = WebCookie(setCookie: text, from: source, at: url, now: now) else { return }
        state.withLock { state in
            let known = native.cookies()
            if source == .script, known.contains(where: { $0.key == cookie.key && $0.isHTTPOnly }) { return }
            // Plain http must not replace or hide what https has set (RFC 6265bis section 5.7 step 13).
            let isShadowing = known.contains { other in
                other.isSecure && other.name == cookie.name
                    && (CookieScope.host(other.domain, isWithin: cookie.domain)
                        || CookieScope.host(cookie.domain, isWithin: other.domain))
                    && CookieScope.path(cookie.path, isWithin: other.path)
            }
            if url.scheme?.lowercased() == "http", isShadowing { return }
            if cookie.isExpired(at: now) {
                native.delete(cookie)
            } else {
                native.set(cookie)
                // Foundation's storage does not keep SameSite: it is remembered here, like what was last equal.
                sameSites.withLock { $0[cookie.key] = cookie.sameSite }
            }
        }
    }

    private let sameSites = Locked<[WebCookie.Key: WebCookie.SameSite]>([:])

    private func knownCookies() -> [WebCookie] {
        let (base, said) = (state.withLock { $0.base }, sameSites.withLock { $0 })
        return native.cookies().map { cookie in
            var cookie = cookie
            cookie.sameSite = cookie.sameSite ?? said[cookie.key] ?? base[cookie.key]?.sameSite
            return cookie
        }
    }
}
