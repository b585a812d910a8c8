public import Foundation
public import PackWeb

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A whole answer that the app gives in the place of a server.
///
/// It counts as that server's: a page of another origin reads it only with `Access-Control-Allow-Origin`. Its
/// `Set-Cookie` fields are not stored, and a redirect is not followed.
public struct NativeAnswer: Hashable, Sendable {
    public let head: TransferHead
    public let body: Data

    public init(status: Int = 200, headers: [String: String] = [:], body: Data = Data()) {
        head = TransferHead(status: status, headers: headers)
        self.body = body
    }
}

/// The requests that an app answers itself: images that it has already, libraries that it ships, stubs of a test.
///
///     var answers = NativeAnswers { request in
///         guard let image = await cache.image(at: request.url) else { return nil }
///         return NativeAnswer(headers: ["content-type": "image/png"], body: image)
///     }
///     answers.precedesPackage = { request in request.url.hasPrefix("https://shop.package/photos/") }
///
/// The app is asked about the requests that reach it: those to packages, and with the page hook's full hand-over
/// all requests of the hooked pages. An engine sends the others itself.
public struct NativeAnswers: Sendable {
    /// Asked before each request goes to the network, and before each hop of its redirects: after `prepare`, with the
    /// real address. Nil: the request goes on. A proxy asks about no WebSocket and no upload that it streams
    /// (`ProxyLimits.heldBodySize`).
    public var answer: @Sendable (URLRequest) async -> NativeAnswer?
    /// Whether ``answer`` is asked before the package, with the address that the page knows. After nil the package
    /// decides; if it sends the request to the network, `answer` is asked again. It must be quick and without effects.
    /// Pages and frames (`SiteRequest.wantsPage`) are always the package's, because the start of a version is
    /// counted by its document, and so are service workers' scripts. What the app answers here is not in the page's
    /// report.
    public var precedesPackage: @Sendable (SiteRequest) -> Bool = { _ in false }

    public init(_ answer: @escaping @Sendable (URLRequest) async -> NativeAnswer?) {
        self.answer = answer
    }
}
