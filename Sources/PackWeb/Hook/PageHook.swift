import Foundation

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
    public struct Load: Hashable, Sendable {
        public let package: String
        public let version: String
        public let token: String

        public init(package: String, version: String, token: String) {
            self.package = package
            self.version = version
            self.token = token
        }
    }

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
    public var largestBody = BodyStore.Limits().body
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

    /// The message in a prompt of the hook; nil if the prompt is the page's own and must be shown. The prompt's text
    /// begins with ``promptKey``.
    public static func message(inPrompt text: String, defaultText: String?) -> String? {
        text == promptText ? defaultText : nil
    }

    private var configuration: String {
        var values: [String: Any] = [
            "strategy": strategy.rawValue, "schemes": schemes, "forms": handlesForms, "cookies": sharesCookies,
            "largestBody": largestBody, "chunk": chunkSize, "prompt": Self.promptText, "promptKey": promptKey,
        ]
        switch transport {
        case .messageHandler(let name): values["handler"] = name
        case .endpoint(let path): values["endpoint"] = path
        }
        if let hosts { values["hosts"] = hosts }
        if let formHosts { values["formHosts"] = formHosts }
        if let load { values["load"] = ["package": load.package, "version": load.version, "token": load.token] }
        let data = try? JSONSerialization.data(withJSONObject: values, options: [.sortedKeys, .withoutEscapingSlashes])
        // In a page's own script element, "</script" would end it.
        return String(decoding: data ?? Data("{}".utf8), as: UTF8.self).replacing("<", with: "\\u003C")
    }
}
