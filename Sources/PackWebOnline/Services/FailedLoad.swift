import Foundation

/// A navigation that brought no page, as a web view of Apple's platforms reports it.
public struct FailedLoad: Sendable {
    public let url: String
    public let reason: String
    private let domain: String
    private let code: Int

    /// - Parameter error: of `didFailProvisionalNavigation`.
    /// - Parameter url: nil: the one that the error names.
    public init(_ error: any Error, at url: String? = nil) {
        let error = error as NSError
        domain = error.domain
        code = error.code
        reason = error.localizedDescription
        let named = error.userInfo[NSURLErrorFailingURLErrorKey] as? URL
        self.url = url ?? named?.absoluteString ?? ""
    }

    /// Whether the load was given up, by the user or for another one, or became a download. Then the page before it
    /// stays, and there is nothing to say.
    public var isGivenUp: Bool {
        switch (domain, code) {
        // NSURLErrorCancelled.
        case (NSURLErrorDomain, -999): true
        // WKErrorDomain's predecessors, which WebKit still reports: a load that the policy interrupted (a download
        // begins like this), and one that a plug-in handles.
        case ("WebKitErrorDomain", 102), ("WebKitErrorDomain", 204): true
        default: false
        }
    }

    /// The page that says so, without scripts, with a link that tries again.
    public var page: String {
        """
        <!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <meta http-equiv="content-security-policy" content="default-src 'none'"><title>Not loaded</title></head>
        <body><h1>This page did not load</h1><p>\(Self.escaped(reason))</p>
        <p><a href="\(Self.escaped(url))">Try again</a></p></body></html>

        """
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("\"", with: "&quot;").replacing("<", with: "&lt;")
    }
}
