import PackFormat

/// A page's request, in the form that every adapter produces.
public struct SiteRequest: Hashable, Sendable {
    public let method: String
    /// The absolute URL, as the page sent it.
    public let url: String
    /// The headers by lower-case name.
    public let headers: [String: String]

    public init(method: String = "GET", url: String, headers: [String: String] = [:]) {
        self.method = method
        self.url = url
        self.headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { "\($0), \($1)" }
    }

    /// Whether the request is for a service worker's own script: its registration, or an engine's check for a newer
    /// one (Service Workers section "Update"). A page that sets the first field by itself gets the answer for a
    /// worker's script.
    public var isWorkerScript: Bool {
        headers["service-worker"] == "script" || headers["sec-fetch-dest"] == "serviceworker"
    }

    /// Whether the request is for a page, not for data or a part of a page.
    public var wantsPage: Bool {
        SitePath.isForPage(
            destination: headers["sec-fetch-dest"], mode: headers["sec-fetch-mode"], accept: headers["accept"])
    }
}
