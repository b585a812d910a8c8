import ArgumentParser
import HTTPTypes
import Hummingbird
import NIOCore
import PackWeb
import PackWebOnline

/// The strategy of the page hook for a browser. Body hand-over is not offered: a browser that talks to a server loses
/// no body, and would send its tags to servers that do not remove them.
enum HookOption: String, ExpressibleByArgument, CaseIterable {
    case off, full

    var strategy: PageHook.Strategy { self == .off ? .off : .full }
}

/// The two addresses of the page hook on a server of ours.
enum HookRoute {
    static let bridge = "/-/bridge"
    static let script = "/-/hook.js"

    static func scriptAnswer(_ strategy: PageHook.Strategy, load: PageHook.Load?) -> Response {
        var hook = PageHook(strategy: strategy, transport: .endpoint(bridge))
        hook.load = load
        hook.handlesForms = false
        return Response(
            status: .ok, headers: [.contentType: "text/javascript; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: hook.script)))
    }

    /// Answers a message of a page. The origin is what the browser says; a page of another site is not admitted.
    static func answer(_ request: Request, by bridge: PageBridge) async throws -> Response {
        try await answer(request) { await bridge.reply(to: $0, from: $1) }
    }

    /// - Parameter reply: The reply to a message's text.
    static func answer(
        _ request: Request, by reply: (String, PageBridge.Sender) async -> String
    ) async throws -> Response {
        guard request.method == .post, let origin = ownOrigin(of: request) else { return Response(status: .forbidden) }
        let text = String(buffer: try await request.body.collect(upTo: 2 << 20))
        let reply = await reply(text, PageBridge.Sender(origin: origin))
        return Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: reply)))
    }

    /// The origin of the page that asks, where it is one of this server: browsers send `Origin` with every POST.
    static func ownOrigin(of request: Request) -> String? {
        guard let origin = request.headers[.origin], let authority = request.head.authority else { return nil }
        return origin == "http://\(authority)" || origin == "https://\(authority)" ? origin : nil
    }

    /// A frame of a browser asks for a page, also through its service worker, which hands the navigation on. Programs that
    /// fetch one get the bytes of the file.
    static func isNavigation(_ request: Request) -> Bool {
        func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { request.headers[$0] } }
        if field("Sec-Fetch-Mode") == "navigate", field("Sec-Fetch-Dest") == "empty" { return true }
        return ["document", "iframe", "frame"].contains(field("Sec-Fetch-Dest"))
    }
}
