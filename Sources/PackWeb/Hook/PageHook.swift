#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The script that a web view runs in every frame before any script of the page (docs/PAGE-HOOK.md).
///
///     let hook = PageHook(strategy: .bodies, transport: .messageHandler("packtool"))
///     // iOS: WKUserScript(source: hook.script, injectionTime: .atDocumentStart, forMainFrameOnly: false)
public struct PageHook: Sendable {
    public enum Strategy: String, Sendable, CaseIterable {
        /// Requests are left alone; only `packtool.confirm()` is available.
        case off
        /// The page's own request goes out, and the app restores the body that the web view loses.
        case bodies
        /// The app performs the request.
        case full
    }

    /// How the page sends messages to the app.
    public enum Transport: Hashable, Sendable {
        /// A script message handler with reply, of this name. Messages that need an answer at once go through
        /// `prompt`.
        case messageHandler(String)
        /// A path on the page's own server, such as `/-/bridge`, for a loopback proxy and for previews.
        case endpoint(String)
    }

    /// The load of a version that the page confirms.
    public struct Load: Hashable, Sendable, Encodable {
        public let package: String
        public let version: String
        public let token: String

        public init(package: String, version: String, token: String) {
            self.package = package
            self.version = version
            self.token = token
        }
    }

    /// 64 MiB. Bodies are held in memory.
    package static let defaultLargestBody = 64 << 20

    /// The text of the hook's prompts; the default text is the message. Any other prompt is the page's own.
    public static let promptText = "packtool:1"

    public var strategy: Strategy
    public var transport: Transport
    /// The hosts (with a port if it is not the scheme's default) whose requests are handled; nil for all.
    public var hosts: [String]?
    /// The app's own schemes besides https and http.
    public var schemes: [String] = []
    /// Whether forms that the page submits are handled. This needs an adapter that receives navigations.
    public var handlesForms = true
    /// The hosts to which forms are handled, if they differ from ``hosts``: those whose navigations the adapter
    /// receives.
    public var formHosts: [String]?
    /// Whether `document.cookie` uses the app's store.
    public var sharesCookies = false
    /// The largest body that the hook hands over, in bytes.
    public var largestBody = Self.defaultLargestBody
    /// The bytes of a body in one message, before base64.
    public var chunkSize = 192 << 10
    public var load: Load?
    /// A secret of one origin's frames that precedes the message in each prompt, for web views that do not say which
    /// frame asks.
    public var promptKey = ""

    public init(strategy: Strategy, transport: Transport) {
        self.strategy = strategy
        self.transport = transport
    }

    /// The script, with its configuration.
    public var script: String { "(\(EmbeddedHook.source))(\(configuration));\n" }

    /// The script for a web view that runs it in the frames of every origin, as `WKWebView` does: in those of other
    /// origins it does nothing.
    /// - Parameter origins: such as `https://shop.package`. Frames without an address of their own (`about:blank`,
    ///   `srcdoc`) have no hook.
    public func script(in origins: [String]) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let list = (try? encoder.encode(origins)).map { String(decoding: $0, as: UTF8.self) } ?? "[]"
        return "if (\(list.replacing("<", with: "\\u003C")).includes(location.protocol + \"//\" + location.host)) "
            + script
    }

    /// The message in a prompt of the hook; nil if the prompt is the page's own and must be shown. The prompt's text
    /// begins with ``promptKey``.
    public static func message(inPrompt text: String, defaultText: String?) -> String? {
        text == promptText ? defaultText : nil
    }

    private var configuration: String {
        var configuration = Configuration(
            strategy: strategy.rawValue, schemes: schemes, forms: handlesForms, cookies: sharesCookies,
            largestBody: largestBody, chunk: chunkSize, prompt: Self.promptText, promptKey: promptKey, hosts: hosts,
            formHosts: formHosts, load: load)
        switch transport {
        case .messageHandler(let name): configuration.handler = name
        case .endpoint(let path): configuration.endpoint = path
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = try? encoder.encode(configuration)
        // In a page's own script element, "</script" would end it.
        return String(decoding: data ?? Data("{}".utf8), as: UTF8.self).replacing("<", with: "\\u003C")
    }

    /// What the script reads.
    private struct Configuration: Encodable {
        let strategy: String
        let schemes: [String]
        let forms: Bool
        let cookies: Bool
        let largestBody: Int
        let chunk: Int
        let prompt: String
        let promptKey: String
        let hosts: [String]?
        let formHosts: [String]?
        let load: Load?
        var handler: String?
        var endpoint: String?
    }
}
