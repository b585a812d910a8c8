import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import PackFormat
import PackHost
import PackUpdater
import PackWeb
import PackWebOnline

/// Relays browsers' requests to the packages' responder, and its answers back. It selects the package of a request by
/// the host `ID.package…` or the first part of the path, and decides nothing about files.
struct ClientSiteResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    let host: PackHost
    let pages: BrowserPages
    let hook: (option: HookOption, bridge: PageBridge)?
    let report: ClientPageReport
    static let loadCookie = "packtool-load"

    func respond(to request: Request, context: Context) async throws -> Response {
        guard LocalAuthority.isOne(request.head.authority ?? "") else {
            return Self.text(.misdirectedRequest, "the installed packages are served to this machine only")
        }
        do {
            return try await answer(request)
        } catch let error as UpdateError {
            return Self.text(.conflict, "\(error)")
        } catch let error as FormatError {
            // A page below `/ID/` that requests `/app.js`: no package can have that name.
            let places = try await host.updater.status().map { Self.address(of: $0.package, request) }
            let hint =
                places.isEmpty ? "" : ". Pages that use paths from the root are at \(places.joined(separator: ", "))"
            return Self.text(.notFound, "\(error)\(hint)")
        }
    }

    private func answer(_ request: Request) async throws -> Response {
        switch request.uri.path {
        case "/-/confirm": return try await confirm(request)
        case HookRoute.bridge:
            if let hook { return try await HookRoute.answer(request, by: hook.bridge) }
        case HookRoute.script:
            if let hook { return HookRoute.scriptAnswer(hook.option.strategy, load: Self.load(request)) }
        default: break
        }
        guard let target = try target(of: request) else { return try await index(request) }
        let (package, path, prefix) = target
        if path.isEmpty { return Self.redirect(to: "\(prefix)/") }
        var headers = Dictionary(
            request.headers.map { ($0.name.canonicalName.lowercased(), $0.value) }, uniquingKeysWith: { "\($0), \($1)" }
        )
        if let referer = headers["referer"] { headers["referer"] = Self.virtual(referer, package, prefix) }
        let query = request.uri.query.map { "?\($0)" } ?? ""
        let asked = SiteRequest(
            method: request.method.rawValue, url: "https://\(package).package\(path)\(query)", headers: headers)
        // What a page below `/ID/` asks for from the root is no package, and must not become one.
        // On an empty device any name may be the first package, which installs itself.
        let known = try await host.updater.status()
        if !prefix.isEmpty, !asked.wantsPage, !known.isEmpty, !known.contains(where: { $0.package == package }) {
            return Self.text(.notFound, Self.unknown(package, known, request))
        }
        if asked.isWorkerScript, let active = known.first(where: { $0.package == package })?.active,
            ClientWorkerScript.isOther(than: active, cookies: headers["cookie"])
        {
            return ClientWorkerScript.removal(for: active, at: request.uri.path)
        }
        let token = Self.cookie(headers["cookie"], Self.loadCookie)
        switch try await pages.page(of: package, for: asked, token: token) {
        case .elsewhere(let url): return Self.redirect(to: url)
        case .absent(let page): return try await relay(page, asked) { $0 }
        case .open(let open):
            report.show(open.pages)
            var response = try await relay(open.page, asked) { local in
                // Only a browser's page: programs that fetch one compare its bytes.
                guard hook != nil, HookRoute.isNavigation(request) else { return local }
                return try PageScript.insert(Self.scriptElement(open.session), in: local)
            }
            guard response.status.kind == .successful || response.status == .notModified else { return response }
            if asked.isWorkerScript {
                response.headers[values: .setCookie] = [
                    ClientWorkerScript.mark(open.session.version, at: request.uri.path)
                ]
            } else if asked.wantsPage {
                let cookie = "\(Self.loadCookie)=\(open.session.loadToken); Path=\(prefix)/; SameSite=Strict"
                response.headers[values: .setCookie] = [cookie]
            }
            return response
        }
    }

    /// The device's answer on the wire.
    /// - Parameter changed: what becomes of an answer that is a file or a message.
    private func relay(
        _ page: PageSession, _ asked: SiteRequest, changed: (SiteResponse) throws -> SiteResponse
    ) async throws -> Response {
        let answer = page.answer(asked)
        let local: SiteResponse
        switch answer.way {
        case .online(let url): return Self.redirect(to: url)
        case .local(let response): local = response
        case .arriving(let arrival): local = await arrival.response()
        }
        return try changed(local).relayed { [report] count in
            page.finished(answer.number, status: local.status, byteCount: count)
            report.changed()
        }
    }

    /// The hook with the load that the page belongs to.
    private static func scriptElement(_ session: PackageSession) -> String {
        var parts = URLComponents()
        parts.queryItems = [
            URLQueryItem(name: "package", value: session.package.text),
            URLQueryItem(name: "version", value: session.version.description),
            URLQueryItem(name: "token", value: session.loadToken),
        ]
        let query = (parts.percentEncodedQuery ?? "").replacing("+", with: "%2B").replacing("&", with: "&amp;")
        return "<script src=\"\(HookRoute.script)?\(query)\"></script>"
    }

    private static func load(_ request: Request) -> PageHook.Load? {
        let query = request.uri.queryParameters
        guard let package = query["package"], let version = query["version"], let token = query["token"] else {
            return nil
        }
        return PageHook.Load(package: String(package), version: String(version), token: String(token))
    }

    /// A page's address as the responder knows it.
    private static func virtual(_ referer: String, _ package: PackageID, _ prefix: String) -> String {
        let parts = referer.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        let path = "/" + (parts.count == 4 ? String(parts[3]) : "")
        let inside = path.hasPrefix(prefix + "/") ? String(path.dropFirst(prefix.count)) : path
        return "https://\(SiteAddress.virtualHost(of: package))\(inside)"
    }

    /// The package, the path in it, and what stands before that path; nil for the list of packages.
    private func target(of request: Request) throws -> (PackageID, String, String)? {
        if let name = LocalAuthority.package(in: request.head.authority ?? "") {
            return (try PackageID(name), request.uri.path, "")
        }
        let parts = request.uri.path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let rest = (parts.last ?? "").split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = rest.first, !name.isEmpty else { return nil }
        let package = try PackageID(String(name))
        return (package, rest.count == 2 ? "/\(rest[1])" : "", "/\(package)")
    }

    /// A page below `/ID/` that requests a path from the root requests an unknown package.
    private static func unknown(_ package: PackageID, _ known: [PackageStatus], _ request: Request) -> String {
        "there is no package \(package) here. Pages that use paths from the root are at "
            + known.map { address(of: $0.package, request) }.joined(separator: ", ")
    }

    private func index(_ request: Request) async throws -> Response {
        let lines = try await host.updater.status().map { status in
            "\(Self.address(of: status.package, request))  \(status.active?.description ?? "not installed")\n"
        }
        return Self.text(.ok, lines.joined())
    }

    private static func address(of package: PackageID, _ request: Request) -> String {
        let port = (request.head.authority ?? "").split(separator: ":").last.map(String.init) ?? ""
        return "http://\(package).package.localhost:\(port)/"
    }

    private func confirm(_ request: Request) async throws -> Response {
        guard request.method == .post else { return Self.text(.methodNotAllowed, "use POST") }
        let query = request.uri.queryParameters
        guard let package = query["package"], let version = query["version"], let token = query["token"] else {
            return Self.text(.badRequest, "package, version and token are needed")
        }
        try await host.confirm(
            PageHook.Load(package: String(package), version: String(version), token: String(token)))
        return Response(status: .noContent)
    }

    private static func text(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text + "\n")))
    }

    private static func redirect(to location: String) -> Response {
        Response(status: .temporaryRedirect, headers: [.location: location])
    }

    static func cookie(_ header: String?, _ name: String) -> String? {
        for pair in (header ?? "").split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == name { return String(parts[1]) }
        }
        return nil
    }
}
