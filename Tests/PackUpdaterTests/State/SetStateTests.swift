import Foundation
import PackFormat
import Testing

@testable import PackUpdater

/// Sets in the state of a device: a value, no files.
struct SetStateTests {
    private let names = try! ["admin", "news", "shop"].map { try PackageID($0) }

    private func installed(_ number: Int, set: Int?) throws -> PackageState.Installed {
        PackageState.Installed(
            id: VersionID(version: try SemanticVersion("1.\(number).0"), manifest: Digest(of: Data("\(number)".utf8))),
            release: PackageState.ReleaseMark(id: "r\(number)", retry: 0, set: set.map { "s\($0)" }))
    }

    private func number(_ installed: PackageState.Installed?) -> String {
        installed.map { $0.id.description } ?? "none"
    }

    /// 3,000 lives of three packages that are only ever released as sets: whatever is started, confirmed or fails, and in
    /// whatever order, all run versions of the same set.
    @Test func `no device ever runs half a set`() throws {
        var dice = SystemRandomNumberGenerator()
        for _ in 0..<3_000 {
            var state = StoreState(deviceID: "d")
            // The first set is installed and works.
            for name in names { state[name].stage(try installed(0, set: 0)) }
            _ = state.activate()
            for name in names {
                _ = state.recordStart(of: name, token: "t", limit: 2)
                _ = state[name].confirm(try SemanticVersion("1.0.0"), token: "t")
            }
            var log: [String] = []
            for step in 1...Int.random(in: 4...14, using: &dice) {
                let name = names.randomElement(using: &dice) ?? names[0]
                switch Int.random(in: 0..<6, using: &dice) {
                case 0:
                    for name in names { state[name].stage(try installed(step, set: step)) }
                    log.append("stage \(step)")
                case 1:
                    _ = state.activate([name])
                    log.append("activate \(name)")
                case 2, 3:
                    _ = state.recordStart(of: name, token: "t\(step)", limit: 2)
                    log.append("start \(name)")
                case 4:
                    if let active = state[name].active, let token = active.loads.last {
                        _ = state[name].confirm(active.id.version, token: token)
                        log.append("confirm \(name)")
                    }
                default:
                    _ = state.goBack(name, reason: "broken")
                    log.append("fail \(name)")
                }
                let running = names.map { number(state[$0].active?.installed) }
                #expect(Set(running).count == 1, "\(running) after \(log)")
                let staged = names.map { $0.text + ": " + (state[$0].staged == nil ? "none" : "some") }
                #expect(Set(staged.map { $0.hasSuffix("some") }).count == 1, "\(staged) after \(log)")
                for name in names {
                    #expect(state[name].lastWorking != nil)
                    let kept = state[name].kept
                    #expect(state[name].beforeSets.allSatisfy { kept.contains($0.installed) })
                }
                let read = try StoreState(parsing: state.bytes)
                #expect(read == state)
            }
        }
    }

    @Test func `a state of a program that knows no sets is read`() throws {
        let text = """
            {"format":1,"device":"d","presets":[],"packages":{"shop":{"active":{"version":"1.0.0",
            "manifest":"\(Digest(of: []).hex)","release":"r1","confirmed":true,"starts":0,"loads":[]}}}}
            """
        let state = try StoreState(parsing: Array(text.utf8))
        #expect(try state[PackageID("shop")].active?.installed.release?.set == nil)
    }
}
