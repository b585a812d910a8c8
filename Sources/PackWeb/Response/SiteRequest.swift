import PackFormat

/// A page's request, as every way into the device gives it.
public struct SiteRequest: Hashable, Sendable {
    public let method: String
    /// Absolute, as the page sent it.
    public let url: String
    /// By lower-case name.
    public let headers: [String: String]

    public init(method: String = "GET", url: String, headers: [String: String] = [:]) {
        self.method = method
        self.url = url
        self.headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { "\($0), \($1)" }
    }

    /// Whether the request is for a service worker's own script: its registration, or an engine's look for a newer one
    /// (Service Workers section "Update"). A page that sets the first field by itself gets what a worker's script would.
    public var isWorkerScript: Bool {
        headers["service-worker"] == "script" || headers["sec-fetch-dest"] == "serviceworker"
    }

    /// Whether the request is for a page and not for data or a part of a page.
    public var wantsPage: Bool {
        SitePath.isForPage(
            destination: headers["sec-fetch-dest"], mode: headers["sec-fetch-mode"], accept: headers["accept"])
    }
}
