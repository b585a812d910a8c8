import Foundation

/// The script that a web view runs in every frame before any script of the page (docs/PAGE-HOOK.md).
///
///     let hook = PageHook(strategy: .bodies, transport: .messageHandler("packtool"))
///     // iOS: WKUserScript(source: hook.script, injectionTime: .atDocumentStart, forMainFrameOnly: false)
public struct PageHook: Sendable {
    public enum Strategy: String, Sendable, CaseIterable {
        /// Requests are left alone; `packtool.confirm()` is there.
        case off
        /// The page's own request goes out, and the app puts the body back that the web view loses.
        case bodies
        /// The app performs the request.
        case full
    }

    /// How the page speaks to the app.
    public enum Transport: Hashable, Sendable {
        /// A script message handler with reply of this name; what must be answered at once goes through `prompt`.
        case messageHandler(String)
        /// A path on the page's own server, such as `/-/bridge`: for a loopback proxy and for previews.
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

    /// What a `prompt` of the hook begins with; any other prompt is the page's own.
    public static let promptPrefix = "packtool:1:"

    public var strategy: Strategy
    public var transport: Transport
    /// The hosts (with a port where it is not the scheme's) whose requests are handled; nil for all.
    public var hosts: [String]?
    /// The app's own schemes besides https and http.
    public var schemes: [String] = []
    /// Whether forms that the page submits are handled; needs an adapter that gets navigations.
    public var handlesForms = true
    /// Whether `document.cookie` is the app's store.
    public var sharesCookies = false
    /// The largest body that is handed over, in bytes.
    public var largestBody = BodyStore.Limits().body
    public var load: Load?

    public init(strategy: Strategy, transport: Transport) {
        self.strategy = strategy
        self.transport = transport
    }

    /// The script, with its configuration.
    public var script: String { "(\(EmbeddedHook.source))(\(configuration));\n" }

    /// The message in a `prompt` of the hook; nil where the prompt is the page's own and must be shown.
    public static func message(inPrompt text: String) -> String? {
        text.hasPrefix(promptPrefix) ? String(text.dropFirst(promptPrefix.count)) : nil
    }

    private var configuration: String {
        var values: [String: Any] = [
            "strategy": strategy.rawValue, "schemes": schemes, "forms": handlesForms, "cookies": sharesCookies,
            "largestBody": largestBody, "promptPrefix": Self.promptPrefix,
        ]
        switch transport {
        case .messageHandler(let name): values["handler"] = name
        case .endpoint(let path): values["endpoint"] = path
        }
        if let hosts { values["hosts"] = hosts }
        if let load { values["load"] = ["package": load.package, "version": load.version, "token": load.token] }
        let data = try? JSONSerialization.data(withJSONObject: values, options: [.sortedKeys, .withoutEscapingSlashes])
        // In a page's own script element, "</script" would end it.
        return String(decoding: data ?? Data("{}".utf8), as: UTF8.self).replacing("<", with: "\\u003C")
    }
}
