import Foundation
import PackFormat
import PackHost
import PackWeb

/// A view without an engine: navigations and requests as an adapter that tells pages apart by `Referer` gets them.
final class ShownPage {
    let pages: PageDirectory
    /// Of the last document's answer, as it comes through the proxy.
    private(set) var documentKey: String?

    init(_ host: PackHost) {
        pages = PageDirectory(host.packages)
    }

    /// A navigation of the main frame.
    func load(_ url: String) async -> (status: Int, text: String) {
        let request = SiteRequest(url: url, headers: ["accept": "text/html", "sec-fetch-dest": "document"])
        let page = pages.page(for: request)
        let answer = page.answer(request)
        documentKey = page.documentFields(of: answer)[PageSession.documentField]
        return await Self.text(of: answer)
    }

    /// The answer of the last navigation is about to be shown.
    func start(_ url: String, in host: PackHost) async throws -> PageStart {
        try await host.startPage(at: url, documentKey: documentKey, from: pages)
    }

    /// A part that the page at an address loads.
    func part(_ url: String, of page: String) async -> (status: Int, text: String) {
        let request = SiteRequest(url: url, headers: ["referer": page, "sec-fetch-dest": "script"])
        return await Self.text(of: pages.page(for: request).answer(request))
    }

    static func text(of answer: SiteAnswer) async -> (status: Int, text: String) {
        switch answer.way {
        case .local(let response): (response.status, text(of: response.body))
        case .arriving(let arrival):
            await { response in (response.status, text(of: response.body)) }(arrival.response())
        case .online(let url): (0, url)
        }
    }

    private static func text(of body: SiteResponse.Body) -> String {
        switch body {
        case .none: ""
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .file(let url, _): (try? String(contentsOf: url, encoding: .utf8)) ?? ""
        }
    }
}
