import CPackHost
import PackFormat
import PackHost
import PackJSON
import PackWeb

/// What one web view shows, and the requests that it makes.
final class OpenView: Sendable {
    private struct State {
        /// The address of the document that the view asked for last.
        var address: String?
        /// Its page, if the device has answered it from a version.
        var page: StartedPage?
    }

    /// What a request is for, as C says.
    enum Kind: Sendable {
        case part, document, frame

        init(_ number: Int32) throws(CallFault) {
            switch number {
            case Int32(PACKHOST_PART.rawValue): self = .part
            case Int32(PACKHOST_DOCUMENT.rawValue): self = .document
            case Int32(PACKHOST_FRAME.rawValue): self = .frame
            default: throw .wrongArgument("there is no kind \(number) of requests")
            }
        }
    }

    /// A start leaves a version at most; there are never so many that fail one after the other.
    private static let maximumRoundCount = 16

    private let open: OpenHost
    private let pages: PageDirectory
    private let state = Locked(State())

    init(_ open: OpenHost) {
        self.open = open
        pages = PageDirectory(open.host.packages)
    }

    func resolve(_ request: SiteRequest, _ kind: Kind, _ limits: CallLimits) throws -> HeldAnswer {
        switch kind {
        case .part: return try answer(placed(request), limits)
        case .frame:
            if let package = open.host.package(of: request.url) {
                _ = try BlockingCall.run(on: open, limits) { host, _ in try await host.prepareNavigation(to: package) }
            }
            return try answer(placed(request.with("sec-fetch-dest", "iframe")), limits)
        case .document:
            let document = request.with("sec-fetch-dest", "document")
            if let package = open.host.package(of: request.url) {
                return try self.document(document, of: package, limits)
            }
            let answer = try answer(document, limits)
            // No package's: nothing of it says anything about a version.
            state.withLock { $0 = State(address: document.url) }
            return answer
        }
    }

    /// The page on view, if the device has answered it.
    func startedPage() throws(CallFault) -> StartedPage {
        try open.requireOpen()
        guard let page = state.withLock({ $0.page }) else {
            throw CallFault(PACKHOST_NOT_FOUND, "the view shows no page that the device has answered")
        }
        return page
    }

    func confirm() throws {
        let page = try startedPage()
        try BlockingCall.run(on: open, .none) { host, _ in try await host.confirm(page) }
    }

    /// The load of the page on view, as `packhost_view_load` gives it.
    func load() throws(CallFault) -> JSONValue {
        let page = try startedPage()
        return .object([
            "package": .string(page.package.text), "version": .string(page.version.description),
            "token": .string(page.load.token), "missing": .array(page.missingParts.map { .string($0) }),
        ])
    }

    /// A part that names no page belongs to the one on view.
    private func placed(_ request: SiteRequest) -> SiteRequest {
        guard request.headers["referer"] == nil, let address = state.withLock({ $0.address }) else { return request }
        return request.with("referer", address)
    }

    private func answer(_ request: SiteRequest, _ limits: CallLimits) throws -> HeldAnswer {
        try open.requireOpen()
        let page = pages.page(for: request)
        return try held(page.answer(request), of: page, limits)
    }

    /// Answers a document, and counts a start of its version before the view has any of it.
    private func document(
        _ request: SiteRequest, of package: PackageID, _ limits: CallLimits
    ) throws -> HeldAnswer {
        let (pages, url) = (pages, request.url)
        let (page, answer, started) = try BlockingCall.run(on: open, limits) { host, _ in
            try await host.prepareNavigation(to: package)
            var round = 0
            while true {
                let page = pages.page(for: request)
                let answer = page.answer(request)
                let key = page.documentFields(of: answer)[PageSession.documentField]
                // Nobody gets the answer of a call that was given up, so it is no start.
                try Task.checkCancellation()
                switch try await host.startPage(at: url, documentKey: key, from: pages) {
                case .foreign: return (page, answer, StartedPage?.none)
                case .started(let started): return (page, answer, started)
                case .outdated(let package, let version, _):
                    // That version must not run: the same request gets the one that took its place.
                    round += 1
                    guard round < Self.maximumRoundCount else {
                        throw CallFault(
                            PACKHOST_FAILED, "\(package) \(version) and all others have used up their starts")
                    }
                }
            }
        }
        let held = try held(answer, of: page, limits)
        state.withLock { $0 = State(address: url, page: started) }
        return held
    }

    private func held(_ answer: SiteAnswer, of page: PageSession, _ limits: CallLimits) throws -> HeldAnswer {
        switch answer.way {
        case .local(let response): return HeldAnswer(response, online: nil, answer, of: page)
        case .online(let url): return HeldAnswer(nil, online: url, answer, of: page)
        case .arriving(let arrival):
            let response = try BlockingCall.run(on: open, limits) { _, _ in await arrival.response() }
            return HeldAnswer(response, online: nil, answer, of: page)
        }
    }
}

extension SiteRequest {
    fileprivate func with(_ name: String, _ value: String) -> SiteRequest {
        SiteRequest(method: method, url: url, headers: headers.merging([name: value]) { $1 })
    }
}
