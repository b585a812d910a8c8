import CWebKitGTK
import Foundation
public import PackWeb
public import PackWebOnline

/// The page hook in a view's frames.
extension PackageView {
    /// Adds the page hook to the frames of an origin, from the next page on. A second call replaces its
    /// configuration.
    /// - Parameters:
    ///   - origin: such as `h5pack://shop` or `https://shop.package`. Frames of other origins get nothing, and frames
    ///     without an address of their own (`about:blank`, `srcdoc`) neither.
    ///   - hook: the hook's configuration; its transport is replaced by this view's.
    ///   - bridge: answers. The first call for an origin decides.
    public func setHook(_ hook: PageHook, for origin: String, bridge: PageBridge) {
        let door: HookMessageHandler
        if let known = doors[origin] {
            door = known
        } else {
            door = HookMessageHandler(origin, bridge: bridge, owner: self)
            doors[origin] = door
            door.open(content)
        }
        door.configure(hook)
        putScripts()
    }

    /// The hook before the app's own scripts: those may send requests too.
    func putScripts() {
        webkit_user_content_manager_remove_all_scripts(content)
        let own = pack_user_script_new_top(pageKey.script)
        webkit_user_content_manager_add_script(content, own)
        webkit_user_script_unref(own)
        let scripts = doors.values.map { ($0.script, $0.pattern) } + startScripts.map { ($0, "") }
        for (source, pattern) in scripts {
            let script = pack_user_script_new(source, pattern.isEmpty ? nil : pattern)
            webkit_user_content_manager_add_script(content, script)
            webkit_user_script_unref(script)
        }
    }

    /// Requests and bodies of a page that is gone without a word.
    func endHookedPages() {
        for door in doors.values { door.bridge.pageEnded() }
    }

    func closeDoors() {
        for door in doors.values { door.close(content) }
        doors = [:]
    }

    /// Synchronous messages of the hook are prompts; every other dialog is the page's own.
    /// - Returns: whether the dialog was the hook's.
    func takesPrompt(_ dialog: OpaquePointer) -> Bool {
        guard webkit_script_dialog_get_dialog_type(dialog) == WEBKIT_SCRIPT_DIALOG_PROMPT,
            let words = webkit_script_dialog_get_message(dialog),
            let message = PageHook.message(
                inPrompt: String(cString: words),
                defaultText: webkit_script_dialog_prompt_get_default_text(dialog).map { String(cString: $0) })
        else { return false }
        // Said in the hook's words by one who does not know an origin's key: answered with nothing, and not shown.
        guard let door = doors.values.first(where: { message.hasPrefix($0.key + ":") }) else { return true }
        let text = String(message.dropFirst(door.key.count + 1))
        webkit_script_dialog_ref(dialog)
        nonisolated(unsafe) let held = dialog
        Task {
            webkit_script_dialog_prompt_set_text(held, await door.reply(to: text))
            webkit_script_dialog_close(held)
            webkit_script_dialog_unref(held)
        }
        return true
    }
}
