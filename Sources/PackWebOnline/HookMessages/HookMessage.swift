import Foundation

/// A message of the page hook, version 1 of its schema (docs/PAGE-HOOK.md). Only the parser makes one: a message that
/// exists is complete, of a known kind, within its size limits and without unknown keys.
enum HookMessage: Sendable {
    /// What a body is for: how long it is kept.
    enum Purpose: String, Decodable, Sendable {
        case request
        /// The body of a beacon or of a request with `keepalive`: it outlives the page.
        case beacon
        /// The body of a form: it outlives the page that sent it.
        case navigation
    }

    /// The start of a body; `data` is all of it where it is small.
    struct Body: Sendable {
        let body: CapturedBody
        let data: Data?
    }

    /// A request that the app performs.
    struct Request: Sendable {
        enum Mode: String, Decodable, Sendable {
            case cors
            case sameOrigin = "same-origin"
            case noCORS = "no-cors"
        }
        enum Credentials: String, Decodable, Sendable {
            case include, omit
            case sameOrigin = "same-origin"
        }
        enum Redirect: String, Decodable, Sendable {
            case follow, error, manual
        }

        let method: String
        let url: URL
        /// The address as the page wrote it: Foundation's `URL` may escape more than a browser does.
        let address: String
        /// By lower-case name, in the page's order.
        let headers: [(name: String, value: String)]
        let mode: Mode
        let credentials: Credentials
        let redirect: Redirect
        let referrer: String
        /// The page does not ask for the answer: a beacon.
        let isUnread: Bool
        /// It goes on when its page has left: `keepalive` of fetch.
        let isKeptAlive: Bool

        /// Its body's: what outlives its page.
        var purpose: Purpose { isUnread || isKeptAlive ? .beacon : .request }
    }

    case body(HookID, Purpose, Body)
    case chunk(HookID, number: Int, Data)
    case request(HookID, Request, Body?)
    case read(HookID)
    case cancel(HookID)
    case leave(nonce: String)
    case cookies
    case setCookie(String)
    case confirm(package: String, version: String, token: String)
}
