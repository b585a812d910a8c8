import Foundation
import PackWeb

/// What the page is told about a request that the app performs, in this order: bytes sent, one response, any data,
/// one end.
enum HookEvent: Sendable, Encodable {
    /// The number of bytes of the body that were sent.
    case sent(Int)
    case response(HookResponse)
    case data(Data)
    case end
    /// The name is `network` or `timeout`; the message is for a developer's console.
    case error(name: String, message: String)

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: StrictKey.self)
        switch self {
        case .sent(let count): try fields.encode(count, forKey: StrictKey("sent"))
        case .response(let response): try fields.encode(response, forKey: StrictKey("response"))
        case .data(let data): try fields.encode(data.base64EncodedString(), forKey: StrictKey("data"))
        case .end: try fields.encode(true, forKey: StrictKey("end"))
        case .error(let name, let message):
            try fields.encode(["name": name, "message": message], forKey: StrictKey("error"))
        }
    }
}

/// The head of an answer, with only what a page may see.
struct HookResponse: Sendable, Encodable {
    let status: Int
    let statusText: String
    /// After redirects, without a fragment.
    let url: String
    let redirected: Bool
    /// `basic`, `cors`, `opaque` or `opaqueredirect` (Fetch section 2.2.6).
    let type: String
    /// By lower-case name, in the order of `getAllResponseHeaders` (XMLHttpRequest section 3.6.4): by upper-case name.
    let headers: [[String]]

    init(status: Int, url: String, redirected: Bool, type: String, headers: [String: String]) {
        self.status = status
        statusText = StatusText.text(of: status)
        self.url = String(url.prefix { $0 != "#" })
        self.redirected = redirected
        self.type = type
        self.headers = headers.sorted { $0.key.uppercased() < $1.key.uppercased() }.map { [$0.key, $0.value] }
    }
}
