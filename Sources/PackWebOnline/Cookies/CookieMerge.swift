import Foundation

/// Computes the changes that make two stores equal, given their content when they were last equal.
///
/// A change on one side since then is copied to the other; a deletion counts like a new value. If both sides have
/// changed, the side of the event wins. Expired cookies are removed from both.
struct CookieMerge {
    enum Side {
        case native, web
    }

    private(set) var native: [Change] = []
    private(set) var web: [Change] = []
    /// What both hold afterwards, unless one refuses.
    private(set) var result: [WebCookie.Key: WebCookie] = [:]

    enum Change: Hashable {
        case set(WebCookie)
        case delete(WebCookie)

        var cookie: WebCookie {
            switch self {
            case .set(let cookie), .delete(let cookie): cookie
            }
        }
    }

    init(
        base: [WebCookie.Key: WebCookie], native nativeCookies: [WebCookie], web webCookies: [WebCookie],
        preferring side: Side, now: Date
    ) {
        let natives = Self.byKey(nativeCookies)
        let webs = Self.byKey(webCookies)
        let keys = Set(base.keys).union(natives.keys).union(webs.keys)
        for key in keys.sorted(by: { ($0.domain, $0.path, $0.name) < ($1.domain, $1.path, $1.name) }) {
            let (before, ours, theirs) = (base[key], natives[key], webs[key])
            let nativeChanged = !Self.areAlike(before, ours)
            let webChanged = !Self.areAlike(before, theirs)
            var wanted = before
            if nativeChanged, !webChanged || side == .native { wanted = ours } else if webChanged { wanted = theirs }
            // What a store does not keep is remembered.
            if wanted?.sameSite == nil { wanted?.sameSite = before?.sameSite ?? ours?.sameSite ?? theirs?.sameSite }
            if let cookie = wanted, cookie.isExpired(at: now) { wanted = nil }
            if !Self.areAlike(wanted, ours) { native += Self.change(from: ours, to: wanted) }
            if !Self.areAlike(wanted, theirs) { web += Self.change(from: theirs, to: wanted) }
            result[key] = wanted
        }
    }

    /// Where a store still holds what it held before a change, it has refused: it then has nothing new to say, so that the
    /// other side's cookie stays, and is offered again with the next merge. Anything else that it holds is news.
    mutating func keepRefusals(of changes: [Change], before: [WebCookie], after: [WebCookie]) {
        let (before, after) = (Self.byKey(before), Self.byKey(after))
        for change in changes {
            let key = change.cookie.key
            if Self.areAlike(before[key], after[key]) { result[key] = before[key] }
        }
    }

    private static func byKey(_ cookies: [WebCookie]) -> [WebCookie.Key: WebCookie] {
        Dictionary(cookies.map { ($0.key, $0) }) { $1 }
    }

    private static func areAlike(_ one: WebCookie?, _ other: WebCookie?) -> Bool {
        switch (one, other) {
        case (nil, nil): true
        case (let one?, let other?): one.isLike(other)
        default: false
        }
    }

    private static func change(from old: WebCookie?, to new: WebCookie?) -> [Change] {
        if let new { return [.set(new)] }
        return old.map { [.delete($0)] } ?? []
    }
}
