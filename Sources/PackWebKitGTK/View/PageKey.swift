import Foundation

/// Distinguishes messages of a view's own frame from those of frames in it.
///
/// WebKitGTK provides the content of a message, but not its sender. So a script that runs only in the view's own
/// frame, before the page's scripts, puts 128 random bits before each message. They are in a closure, where no script
/// can read them.
struct PageKey {
    private let key = Self.random()

    /// 128 random bits as text.
    static func random() -> String {
        (0..<4).map { _ in String(UInt32.random(in: .min ... .max), radix: 16) }.joined(separator: "-")
    }

    /// The page may have changed every global by the time it sends: what is called is taken before.
    var script: String {
        """
        (() => {
          const handler = window.webkit && webkit.messageHandlers && webkit.messageHandlers.packtool;
          if (!handler) return;
          const { apply } = Reflect, { stringify } = JSON;
          const prototype = Object.getPrototypeOf(handler), post = prototype.postMessage;
          const key = "\(key)";
          prototype.postMessage = function postMessage(message) {
            return apply(post, this, [this === handler ? key + (stringify(message) || "null") : message]);
          };
        })();
        """
    }

    /// - Parameter json: of what the handler got.
    /// - Returns: the page's message as JSON; nil if another frame has sent it.
    func message(in json: String) -> String? {
        guard let text = try? JSONDecoder().decode(String.self, from: Data(json.utf8)), text.hasPrefix(key) else {
            return nil
        }
        return String(text.dropFirst(key.count))
    }
}
