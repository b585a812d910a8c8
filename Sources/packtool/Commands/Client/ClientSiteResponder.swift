import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import PackFormat
import PackUpdater
import PackWeb

/// Relays browsers' requests to the packages' resolver and its answers back. It decides which package a request is
/// for, by the host `ID.package…` or the first part of the path, and nothing about files.
struct ClientSiteResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    let site: ClientSite
    static let loadCookie = "packtool-load"

    func respond(to request: Request, context: Context) async throws -> Response {
        do {
            return try await answer(request)
        } catch let error as UpdateError {
            return Self.text(.conflict, "\(error)")
        } catch let error as FormatError {
            return Self.text(.badRequest, "\(error)")
        }
    }

    private func answer(_ request: Request) async throws -> Response {
        if request.uri.path == "/-/confirm" { return try await confirm(request) }
        guard let target = try target(of: request) else { return try await index(request) }
        let (package, path, prefix) = target
        if path.isEmpty { return Self.redirect(to: "\(prefix)/") }
        let headers = Dictionary(
            request.headers.map { ($0.name.canonicalName.lowercased(), $0.value) }, uniquingKeysWith: { "\($0), \($1)" }
        )
        let query = request.uri.query.map { "?\($0)" } ?? ""
        let asked = SiteRequest(
            method: request.method.rawValue, url: "https://\(package).package\(path)\(query)", headers: headers)
        let token = Self.cookie(headers["cookie"], Self.loadCookie)
        switch try await site.content(of: package, token: token, isPage: asked.wantsPage) {
        case .online(let url, let why):
            guard let url else { return Self.text(.notFound, "\(package): \(why), and no online copy is known") }
            return Self.redirect(to: url.absoluteString + path.dropFirst() + query)
        case .installed(let session):
            let page = PackWeb.PageSession(PinnedSite(session: session))
            switch page.answer(asked).way {
            case .online(let url): return Self.redirect(to: url)
            case .local(let answer):
                var response = try Self.relay(answer)
                if asked.wantsPage {
                    let cookie = "\(Self.loadCookie)=\(session.loadToken); Path=\(prefix)/; SameSite=Strict"
                    response.headers[values: .setCookie] = [cookie]
                }
                return response
            }
        }
    }

    /// The package, the path in it, and what stands before that path; nil for the list of packages.
    private func target(of request: Request) throws -> (PackageID, String, String)? {
        let host = (request.head.authority ?? "").split(separator: ":").first.map(String.init) ?? ""
        let labels = host.split(separator: ".")
        if labels.count >= 2, labels[1] == "package" {
            return (try PackageID(String(labels[0])), request.uri.path, "")
        }
        let parts = request.uri.path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let rest = (parts.last ?? "").split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = rest.first, !name.isEmpty else { return nil }
        let package = try PackageID(String(name))
        return (package, rest.count == 2 ? "/\(rest[1])" : "", "/\(package)")
    }

    private func index(_ request: Request) async throws -> Response {
        let lines = try await site.packages().map { status in
            "/\(status.package)/  \(status.active?.description ?? "not installed")\n"
        }
        return Self.text(.ok, lines.joined())
    }

    private func confirm(_ request: Request) async throws -> Response {
        guard request.method == .post else { return Self.text(.methodNotAllowed, "use POST") }
        let query = request.uri.queryParameters
        guard let package = query["package"], let version = query["version"], let token = query["token"] else {
            return Self.text(.badRequest, "package, version and token are needed")
        }
        try await site.confirm(
            PackageID(String(package)), SemanticVersion(String(version)), token: String(token))
        return Response(status: .noContent)
    }

    private static func relay(_ answer: SiteResponse) throws -> Response {
        var headers = HTTPFields()
        for (name, value) in answer.headers where name != "content-length" {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        let status = HTTPResponse.Status(code: answer.status)
        switch answer.body {
        case .none:
            headers[.contentLength] = answer.headers["content-length"]
            return Response(status: status, headers: headers)
        case .bytes(let bytes):
            return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        case .file(let url, let range):
            return Response(
                status: status, headers: headers,
                body: ResponseBody(contentLength: range.count) { writer in
                    var reader = try FileReader(url, range: range)
                    while let chunk = try reader.next() { try await writer.write(ByteBuffer(bytes: chunk)) }
                    try await writer.finish(nil)
                })
        }
    }

    private static func text(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text + "\n")))
    }

    private static func redirect(to location: String) -> Response {
        Response(status: .temporaryRedirect, headers: [.location: location])
    }

    private static func cookie(_ header: String?, _ name: String) -> String? {
        for pair in (header ?? "").split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == name { return String(parts[1]) }
        }
        return nil
    }
}
