#if canImport(WebKit)
    import Foundation
    import PackWebOnline
    import WebKit

    /// Passes the page hook's messages to its bridge. A content controller holds it, and it holds no view.
    @MainActor
    final class HookMessages: NSObject, WKScriptMessageHandlerWithReply {
        static let name = "packtool"

        private let bridge: PageBridge

        init(_ bridge: PageBridge) {
            self.bridge = bridge
        }

        func userContentController(
            _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
        ) async -> (Any?, String?) {
            let text = message.body as? String ?? ""
            return (await bridge.reply(to: text, from: Self.sender(message.frameInfo)), nil)
        }

        /// The frame as WebKit knows it, whatever the message says.
        static func sender(_ frame: WKFrameInfo) -> PageBridge.Sender {
            let origin = frame.securityOrigin
            let port = origin.port == 0 ? "" : ":\(origin.port)"
            return PageBridge.Sender(
                origin: "\(origin.protocol)://\(origin.host)\(port)", page: frame.request.url)
        }
    }
#endif
