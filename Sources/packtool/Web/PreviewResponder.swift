import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import PackFormat
import PackWeb

/// Relays a browser's requests to the resolver that a device has, and its answers back.
struct PreviewResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    let site: PreviewSite
    let pages: PageDirectory
    /// Whether pages reload by themselves. Each page then gets one script element more than a device would give it.
    let reloads: Bool
    let console: Console

    func respond(to request: Request, context: Context) async throws -> Response {
        guard isLocal(request.head.authority ?? "") else {
            return Self.text(.misdirectedRequest, "the preview answers this machine only")
        }
        switch request.uri.path {
        case "/-/generation":
            try? site.refresh()
            return Self.text(.ok, site.manifest.digest.hex)
        case "/-/reload.js": return Self.text(.ok, Self.script, type: "text/javascript; charset=utf-8")
        default: return try answer(siteRequest(request))
        }
    }

    private func answer(_ request: SiteRequest) throws -> Response {
        if request.wantsPage { refresh() }
        var answer = pages.page(for: request).answer(request)
        if answer.reason == .damaged || answer.reason == .notInVersion {
            // The folder has changed since the page started, or the client asks for no pages (curl sends `*/*`).
            refresh()
            answer = PageSession(site).answer(request)
        }
        switch answer.way {
        case .online(let url):
            console.note("online   \(request.method) \(url)")
            return Self.text(.badGateway, "a device would ask \(url) for this")
        case .local(let response):
            if response.status >= 400 {
                console.note("missed   \(request.method) \(request.url): \(response.status) \(answer.reason.rawValue)")
            }
            return try (reloads ? withReload(response, to: request) : response).relayed()
        }
    }

    private func refresh() {
        do {
            try site.refresh()
        } catch {
            console.note("\(error); the last state is shown")
        }
    }

    /// The page with the script element at its end. Anything but a whole page stays as it is.
    private func withReload(_ response: SiteResponse, to request: SiteRequest) throws -> SiteResponse {
        guard request.wantsPage, response.status == 200, case .file(let url, let range) = response.body,
            response.headers["content-type"]?.hasPrefix("text/html") == true
        else { return response }
        var reader = try FileReader(url, range: range)
        var bytes: [UInt8] = []
        while let chunk = try reader.next() { bytes += chunk }
        bytes += Array("<script src=\"/-/reload.js\"></script>\n".utf8)
        var headers = response.headers
        headers["content-length"] = "\(bytes.count)"
        headers["etag"] = EntityTag(Digest(of: bytes)).description
        headers["accept-ranges"] = "none"
        return SiteResponse(status: 200, headers: headers, body: .bytes(bytes))
    }

    /// The request under the package's virtual domain, where the resolver knows it.
    private func siteRequest(_ request: Request) -> SiteRequest {
        let base = "https://\(site.manifest.package).\(SiteAddress.virtualSuffix)"
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

    /// A page of another site must not read the folder by a name that it points at this machine.
    private func isLocal(_ authority: String) -> Bool {
        let host = authority.hasPrefix("[") ? "localhost" : String(authority.prefix { $0 != ":" })
        return ["localhost", "127.0.0.1", "\(site.manifest.package).\(SiteAddress.virtualSuffix)"].contains(host)
            || host.hasSuffix(".localhost")
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
