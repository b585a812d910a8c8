import Foundation
import PackJSON
import PackWeb
import PackWebOnline
import PackWebKitGTK

extension Kiosk {
    /// What somebody outside asks for.
    func perform(_ command: KioskControl.Command) async -> KioskControl.Reply {
        do {
            switch command.name {
            case "evaluate": return .value(try await view.evaluate(command.argument("script")))
            case "load": view.load(try command.argument("url"))
            case "back": view.goBack()
            case "forward": view.goForward()
            case "reload": view.reload()
            case "stop": view.stopLoading()
            case "snapshot": try await view.writeSnapshot(to: URL(fileURLWithPath: command.argument("file")))
            case "update":
                return .value(await update() ? "true" : "false")
            case "version": return .value(shownVersion.map { "\"\($0)\"" } ?? "null")
            case "report": return .value(try report())
            case "hook": return .value(hookState)
            case "setHook": try setHook(command.argument("strategy"))
            case "quit": MainLoop.quit()
            default: return .failed("there is no command \"\(command.name)\"")
            }
            return .value("null")
        } catch {
            return .failed("\(error)")
        }
    }

    /// What the page hook has under way, and what became of the bodies.
    private var hookState: String {
        let (bridge, bodies) = (services.bridge, services.bodies)
        let counts = bodies.counts
        let state: JSONObject = [
            "calls": .integer(bridge.callCount), "bodies": .integer(bodies.count), "bytes": .integer(bodies.byteCount),
            "restored": .integer(counts.restored), "lost": .integer(counts.lost),
        ]
        return JSONValue.object(state).compactText
    }

    /// Switches the hook for the pages that start from now on.
    private func setHook(_ name: String) throws {
        guard let strategy = PageHook.Strategy(rawValue: name) else {
            throw KioskFailure("\"\(name)\" is not a strategy of the hook: take off, bodies or full")
        }
        try services.setHookStrategy(strategy)
    }

    private func report() throws -> String {
        guard let report = services.pages.lastReport else { return "null" }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(report), as: UTF8.self)
    }
}
