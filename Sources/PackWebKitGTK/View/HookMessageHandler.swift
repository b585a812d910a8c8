import CWebKitGTK
import Foundation
import PackWeb
import PackWebOnline

/// Passes messages of the page hook in one origin's frames to its bridge.
///
/// WebKitGTK provides the content of a message or a prompt, but not the frame that sent it. So each origin has its
/// own handler and prompt, with a name of 128 random bits that only the hook's script knows (scripts cannot list the
/// handlers), and the script runs only in frames whose address is the origin's. A frame of another origin in the same
/// page cannot use it.
@MainActor
final class HookMessageHandler {
    let origin: String
    let bridge: PageBridge
    let key: String
    /// The hook with the configuration that the next page gets.
    private(set) var script = ""
    private weak var owner: PackageView?

    init(_ origin: String, bridge: PageBridge, owner: PackageView) {
        self.origin = origin.lowercased()
        self.bridge = bridge
        self.owner = owner
        key = PageKey.random()
    }

    var handler: String { "packtool-" + key }
    private var signal: String { "script-message-with-reply-received::" + handler }

    /// WebKit's pattern for the frames that the script goes into.
    var pattern: String { origin + "/*" }

    func configure(_ hook: PageHook) {
        var hook = hook
        hook.transport = .messageHandler(handler)
        hook.promptKey = key + ":"
        script = hook.script
    }

    func open(_ content: UnsafeMutablePointer<WebKitUserContentManager>) {
        let received: @convention(c) (gpointer, gpointer, OpaquePointer, gpointer) -> gboolean = {
            _, value, reply, data in
            nonisolated(unsafe) let (value, reply, data) = (value, reply, data)
            MainActor.assumeIsolated {
                Unmanaged<HookMessageHandler>.fromOpaque(data).takeUnretainedValue()
                    .answer(value.assumingMemoryBound(to: JSCValue.self), reply)
            }
            return 1
        }
        pack_connect(
            content, signal, unsafeBitCast(received, to: gpointer.self), Unmanaged.passUnretained(self).toOpaque())
        webkit_user_content_manager_register_script_message_handler_with_reply(content, handler, nil)
    }

    func close(_ content: UnsafeMutablePointer<WebKitUserContentManager>) {
        pack_disconnect_all(content, Unmanaged.passUnretained(self).toOpaque())
        webkit_user_content_manager_unregister_script_message_handler(content, handler)
        bridge.pageEnded()
    }

    func reply(to text: String) async -> String { await bridge.reply(to: text, from: sender) }

    /// The frame's address is not told; the page's is, where it is the same origin.
    private var sender: PageBridge.Sender {
        let page = owner?.url.flatMap { $0.lowercased().hasPrefix(origin + "/") ? URL(string: $0) : nil }
        return PageBridge.Sender(origin: origin, page: page ?? URL(string: origin + "/"))
    }

    private func answer(_ value: UnsafeMutablePointer<JSCValue>, _ reply: OpaquePointer) {
        let words = jsc_value_to_string(value)
        let text = words.map { String(cString: $0) } ?? ""
        g_free(words)
        let context = jsc_value_get_context(value)
        g_object_ref(context)
        webkit_script_message_reply_ref(reply)
        nonisolated(unsafe) let (heldContext, heldReply) = (context, reply)
        Task {
            let answer = jsc_value_new_string(heldContext, await self.reply(to: text))
            webkit_script_message_reply_return_value(heldReply, answer)
            g_object_unref(answer)
            g_object_unref(heldContext)
            webkit_script_message_reply_unref(heldReply)
        }
    }
}
