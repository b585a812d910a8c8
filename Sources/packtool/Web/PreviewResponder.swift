import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import PackFormat
import PackJSON
import PackWeb
import PackWebOnline

/// Relays a browser's requests to the same responder that a device has, and its answers back.
struct PreviewResponder: HTTPResponder {
    /// A request with its connection.
    struct Context: RequestContext {
        var coreContext: CoreRequestContextStorage
        let channel: any Channel

        init(source: ApplicationRequestContextSource) {
            coreContext = CoreRequestContextStorage(source: source)
            channel = source.channel
        }

        /// Whether this machine is at the other end.
        var isFromHere: Bool {
            guard let address = channel.remoteAddress?.ipAddress else { return false }
            return address.hasPrefix("127.") || address == "::1"
        }
    }

    let site: PreviewSite
    let pages: PageDirectory
    /// Whether pages reload by themselves. Each page then gets one script element more than a device would give it.
    let reloads: Bool
    /// Nil leaves pages without the hook.
    let hook: (option: HookOption, bridge: PreviewBridge)?
    let proxy: PreviewProxy
    /// Nil: pages get no overlay.
    let log: PreviewLog?
    let network: PreviewNetwork
    /// Nil: only this machine may open it.
    let guests: PreviewGuests?
    let console: Console

    func respond(to request: Request, context: Context) async throws -> Response {
        // With guests, others reach the port too: then a local name says nothing, and the other end of the connection does.
        let isLocal = LocalAuthority.isOne(request.head.authority ?? "") && (guests == nil || context.isFromHere)
        guard isLocal || guests?.admits(request) == true else {
            if let welcome = guests?.welcome(request) { return welcome }
            guard guests != nil else {
                return Self.text(.misdirectedRequest, "the preview answers this machine only; --phone lets others in")
            }
            return Self.text(.forbidden, "open the address that packtool preview --phone prints")
        }
        switch request.uri.path {
        case "/-/generation":
            try? site.refresh()
            return Self.text(.ok, site.manifest.digest.hex)
        case "/-/reload.js": return Self.text(.ok, Self.script, type: "text/javascript; charset=utf-8")
        case "/-/overlay.js" where log != nil:
            return Self.text(
                .ok, EmbeddedTemplates.files["preview/overlay.js"] ?? "", type: "text/javascript; charset=utf-8")
        case "/-/requests" where log != nil: return requests(request)
        case "/-/network" where log != nil: return try await setNetwork(request)
        case HookRoute.bridge:
            guard let hook else { return Self.text(.notFound, "start the preview with --hook") }
            let page = asker(of: siteRequest(request))
            return try await HookRoute.answer(request) { await hook.bridge.reply(to: $0, from: $1, page: page) }
        case HookRoute.script:
            guard let hook else { return Self.text(.notFound, "start the preview with --hook") }
            return HookRoute.scriptAnswer(hook.option.strategy, load: Self.load(of: site.manifest))
        default:
            guard context.isFromHere, let (own, prefix) = PreviewAddress.restored(request) else {
                return try await answered(request, context)
            }
            var response = try await answered(own, context)
            // A redirect within the page's address is one within the address that the bridge knows.
            if let location = response.headers[.location], location.hasPrefix("/"), !location.hasPrefix("//") {
                response.headers[.location] = prefix + location
            }
            return response
        }
    }

    private func answered(_ request: Request, _ context: Context) async throws -> Response {
        let siteRequest = siteRequest(request)
        if let url = proxy.url(for: request.uri.string, manifest: site.manifest) {
            return await proxied(request, to: url, page: asker(of: siteRequest), context)
        }
        return try await answer(siteRequest)
    }

    private func answer(_ request: SiteRequest) async throws -> Response {
        if request.wantsPage { refresh() }
        var page = pages.page(for: request)
        let key = page.documentKey
        var answer = page.answer(request)
        if answer.reason == .damaged || answer.reason == .notInVersion {
            // The folder has changed since the page started, or the client asks for no pages (curl sends `*/*`).
            refresh()
            page = PageSession(site)
            answer = page.answer(request)
        }
        switch answer.way {
        case .online(let url):
            console.note("online   \(request.method) \(url)")
            log?.add(.missed, request.method, path(of: request), status: 502, page: key)
            return Self.text(.badGateway, "a device would ask \(url) for this")
        case .arriving(let arrival): return try await arrival.response().relayed()
        case .local(let response):
            if response.status >= 400 {
                console.note("missed   \(request.method) \(request.url): \(response.status) \(answer.reason.rawValue)")
                if let hint = hint(request, response) { console.note(hint) }
            }
            log?.add(
                response.status >= 400 ? .missed : .package, request.method, path(of: request), status: response.status,
                page: key)
            return try withScripts(response, to: request, page: key).relayed { [page, number = answer.number] count in
                page.finished(number, byteCount: count)
            }
        }
    }

    /// The page that a request which opens none is of, for the overlay. A request that says nothing of its page is nobody's.
    private func asker(of request: SiteRequest) -> String? {
        let isOfPage = request.headers["referer"] != nil || request.headers["sec-fetch-dest"] != nil
        guard log != nil, isOfPage, !request.wantsPage else { return nil }
        return pages.page(for: request).documentKey
    }

    private func proxied(_ request: Request, to url: URL, page: String?, _ context: Context) async -> Response {
        guard network.mode != .offline else {
            log?.add(.offline, request.method.rawValue, request.uri.string, status: 0, page: page)
            // The page's request fails as without a network, and has no status.
            try? await context.channel.close()
            return Response(status: .serviceUnavailable)
        }
        guard request.headers[.upgrade]?.lowercased() != "websocket" else {
            log?.add(.missed, request.method.rawValue, request.uri.string, status: 501, page: page)
            console.note(
                "missed   WebSocket \(url): the preview forwards none, a device does; connect to the service's own address"
            )
            return Self.text(.notImplemented, "packtool preview forwards no WebSockets")
        }
        do {
            // A page that leaves closes its side of the connection, which is to end the request to the server too. A stream of HTTP/2
            // ends by itself, and traps when it is asked.
            if context.channel is any SocketOptionProvider {
                try? await context.channel.setOption(.allowRemoteHalfClosure, value: false).get()
            }
            let answer = try await proxy.answer(request, from: url, until: context.channel.closeFuture)
            log?.add(.proxy, request.method.rawValue, request.uri.string, status: answer.head.status, page: page)
            console.note("proxy    \(request.method.rawValue) \(url): \(answer.head.status)")
            return answer.response { [network] in try await network.wait(for: $0, isFirst: $1) }
        } catch let failure as CommandFailure {
            console.note("proxy    \(request.method.rawValue) \(url): not sent: \(failure.message)")
            return Self.text(.contentTooLarge, failure.message)
        } catch {
            let reason = (error as? URLError)?.localizedDescription ?? "\(error)"
            console.note("proxy    \(request.method.rawValue) \(url): no answer: \(reason)")
            return Self.text(.badGateway, "\(url) gives no answer: \(reason)")
        }
    }

    /// What was answered to a page since a number, for the overlay; to all pages where none is named.
    private func requests(_ request: Request) -> Response {
        let after = request.uri.queryParameters["after"].flatMap { Int($0) } ?? 0
        let page = request.uri.queryParameters["page"].map { String($0) }
        let document: JSONObject = [
            "version": .string("\(site.manifest.package) \(site.manifest.version)"),
            "network": .string(network.mode.rawValue), "hook": hook.map { .string($0.option.rawValue) } ?? .null,
            "requests": .array(log?.entries(after: after, page: page) ?? []),
        ]
        return Self.text(.ok, JSONValue.object(document).compactText, type: "application/json")
    }

    private func setNetwork(_ request: Request) async throws -> Response {
        guard request.method == .post, HookRoute.ownOrigin(of: request) != nil else {
            return Response(status: .forbidden)
        }
        let text = String(buffer: try await request.body.collect(upTo: 100))
        guard let mode = PreviewNetwork.Mode(rawValue: text) else {
            return Self.text(.badRequest, "the network is normal, slow or offline")
        }
        network.mode = mode
        console.note("network  \(text)")
        return Self.text(.ok, text)
    }

    private func path(of request: SiteRequest) -> String { String(request.url.dropFirst(base.count)) }

    /// What to do for a page below a path that only the application's own router knows, and for a request to a server.
    private func hint(_ request: SiteRequest, _ response: SiteResponse) -> String? {
        let path = String(request.url.dropFirst(base.count).prefix { $0 != "?" && $0 != "#" })
        if response.status == 405 {
            return "         a server's paths: \"api\" in packtool.json, or here alone --proxy \(path)=http://HOST:PORT"
        }
        guard response.status == 404, request.wantsPage, SitePath.wouldBeRoute(path, in: site.manifest) else {
            return nil
        }
        return "         a single-page application opens its entry for \(path) with \"spa\": true in packtool.json"
    }

    private func refresh() {
        do {
            try site.refresh()
        } catch {
            console.note("\(error); the last state is shown")
        }
    }

    /// A page with what the preview adds; what is no page for a browser stays as it is.
    /// - Parameter page: The key by which the overlay asks for the page's own requests.
    private func withScripts(_ response: SiteResponse, to request: SiteRequest, page: String?) throws -> SiteResponse {
        guard request.wantsPage else { return response }
        var response = response
        if hook != nil {
            response = try PageScript.insert("<script src=\"\(HookRoute.script)\"></script>", in: response)
        }
        // Before the hook, which would have their own requests answered as the page's: also where the network is switched off.
        if log != nil {
            let query = page.map { "?page=\($0)" } ?? ""
            response = try PageScript.insert("<script src=\"/-/overlay.js\(query)\"></script>", in: response)
        }
        if reloads { response = try PageScript.insert("<script src=\"/-/reload.js\"></script>", in: response) }
        return response
    }

    /// A preview has one version, and each of its pages may confirm it.
    private static func load(of manifest: Manifest) -> PageHook.Load {
        PageHook.Load(package: manifest.package.text, version: manifest.version.description, token: "preview")
    }

    private var base: String { "https://\(SiteAddress.virtualHost(of: site.manifest.package))" }

    /// The request under the package's virtual domain, where the resolver knows it.
    private func siteRequest(_ request: Request) -> SiteRequest {
        var headers = Dictionary(request.headers.map { ($0.name.canonicalName.lowercased(), $0.value) }) {
            "\($0), \($1)"
        }
        if let referer = headers["referer"] {
            let parts = referer.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
            headers["referer"] = base + "/" + (parts.count == 4 ? String(parts[3]) : "")
        }
        // A page with the script has a tag of its own, which no file has.
        return SiteRequest(method: request.method.rawValue, url: base + request.uri.string, headers: headers)
    }

    private static func text(
        _ status: HTTPResponse.Status, _ text: String, type: String = "text/plain; charset=utf-8"
    ) -> Response {
        Response(
            status: status, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text + "\n")))
    }

    private static let script = """
        (() => {
          const fetch = window.fetch.bind(window);
          let seen;
          setInterval(async () => {
            try {
              const now = await (await fetch("/-/generation", { cache: "no-store" })).text();
              if (seen && now !== seen) location.reload();
              seen = now;
            } catch { }
          }, 1000);
        })();
        """
}
