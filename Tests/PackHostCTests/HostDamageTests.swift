import AttackSupport
import Foundation
import Synchronization
import TestSupport
import Testing

/// A store that is damaged and a registry that lies, under a program in C.
@Suite(.serialized)
struct HostDamageTests {
    /// A registry's view as files, some of whose answers are lies.
    private final class LyingServer: Sendable {
        private let run: Mutex<FuzzRun>
        private let view: URL

        init(_ view: URL, _ run: FuzzRun) {
            self.view = view
            self.run = Mutex(run)
        }

        func reply(to request: LoopbackServer.Request) -> LoopbackServer.Reply {
            guard let data = try? Data(contentsOf: view.appendingPathComponent(request.path)) else {
                return .answer(404)
            }
            let bytes = [UInt8](data)
            return run.withLock { run in
                switch Int.random(in: 0..<24, using: &run.random) {
                case 0: .close
                case 1: .answer(500, body: bytes)
                case 2: .cut(200, fields: [], body: bytes, after: bytes.count / 2)
                case 3: .answer(200, fields: [("Content-Encoding", "gzip")], body: bytes)
                case 4: .answer(302, fields: [("Location", "http://127.0.0.1:1/\(request.path)")])
                case 5..<10: .answer(200, body: run.damage(bytes, with: bytes))
                default: .answer(200, body: bytes)
                }
            }
        }
    }

    private static func spoil(_ store: URL, _ run: inout FuzzRun) throws {
        let names = FileManager.default.enumerator(atPath: store.path)?.allObjects.compactMap { $0 as? String } ?? []
        let files = names.sorted().map { store.appendingPathComponent($0) }.filter { !$0.hasDirectoryPath }
        for _ in 0..<Int.random(in: 0...3, using: &run.random) {
            guard let file = files.randomElement(using: &run.random), let data = try? Data(contentsOf: file) else {
                continue
            }
            switch Int.random(in: 0..<6, using: &run.random) {
            case 0: try FileManager.default.removeItem(at: file)
            case 1: try data.prefix(Int.random(in: 0...data.count, using: &run.random)).write(to: file)
            default: try Data(run.damage([UInt8](data), with: [UInt8](data))).write(to: file)
            }
        }
    }

    @Test func `a damaged store and a registry that lies end no process, and show no page that nobody published`()
        async throws
    {
        let served = try ServedShop()
        let sound = served.arguments("sound")
        #expect(try CProgram(named: "first.c").run(sound) == "confirmed\n")
        try served.publish("2.0.0", "two")
        var run = FuzzRun(seconds: 8)
        let view = served.project.url.appendingPathComponent(".packtool/registry/view")
        let liar = LyingServer(view, run)
        let server = try await LoopbackServer { liar.reply(to: $0) }
        defer { server.stop() }
        let program = try CProgram(named: "damage.c")
        let store = served.project.url.appendingPathComponent("damaged")
        while run.goesOn() {
            try? FileManager.default.removeItem(at: store)
            try FileManager.default.copyItem(atPath: sound[0], toPath: store.path)
            try Self.spoil(store, &run)
            let arguments = [store.path, server.endpoint, sound[2]]
            // A program that is waited for must not hold a thread that the server needs.
            let said: String = try await withCheckedThrowingContinuation { done in
                DispatchQueue.global().async { done.resume(with: Result { try program.run(arguments) }) }
            }
            #expect(said == "done\n", "PACKTOOL_FUZZ_SEED=\(run.seed)")
        }
        print("\(run.count) damaged stores, \(run.ending)")
        withExtendedLifetime(served) {}
    }
}
