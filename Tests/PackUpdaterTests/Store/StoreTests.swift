import Foundation
import PackFormat
import PackSystem
import Testing

@testable import PackUpdater

struct StoreTests {
    let registry: TestRegistry
    let device: TestDevice
    let one: VersionID

    init() async throws {
        registry = try TestRegistry()
        device = try TestDevice(registry)
        one = try registry.publish("checkout", "1.0.0", ["index.html": "one", "a/b/c.js": "deep"])
        try registry.release("checkout", one, release: "r1")
        try await device.updater().update(.all)
        try await device.confirm("checkout")
    }

    func content() throws -> [String: Data] {
        var content: [String: Data] = [:]
        for path in try device.listing() {
            content[path] = FileManager.default.contents(atPath: "\(device.store.path)/\(path)")
        }
        return content
    }

    @Test func `a store of a newer format is refused and not touched`() async throws {
        let state = device.store.appending(path: "state.json")
        let text = try String(contentsOf: state, encoding: .utf8)
        try Data(text.replacing("\"format\": 1", with: "\"format\": 2").utf8).write(to: state)
        let before = try content()
        #expect(throws: UpdateError.storeIsNewer(folder: device.store.path, found: 2, supported: 1)) {
            try device.updater()
        }
        #expect(try content() == before)
    }

    @Test func `two updaters on one store at once: the second says who works there`() async throws {
        let store = try DeviceStore(folder: device.store)
        let lock = try await store.lockForUpdate(patience: .zero)
        let holder = "process \(ProcessInfo.processInfo.processIdentifier)"
        await #expect(throws: UpdateError.storeIsBusy(folder: device.store.path, holder: holder)) {
            try await device.updater().update(.all)
        }
        #expect(try await device.page("checkout") == "one")
        device.configuration.patience = .seconds(20)
        let updater = try device.updater()
        async let waiting = updater.update(.all)
        try await Task.sleep(for: .milliseconds(50))
        _ = consume lock
        #expect(try await waiting.entries.map(\.outcome) == [.upToDate(one.version)])
    }

    @Test func `damaged objects are found and fetched again one by one`() async throws {
        let digest = Digest(of: Array("deep".utf8))
        let object = StoreLayout(folder: device.store).object(digest)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: object.path)
        let handle = try FileHandle(forWritingTo: object)
        try handle.write(contentsOf: Data("DEEP".utf8))
        try handle.close()
        #expect(try await device.page("checkout", "a/b/c.js") == "DEEP")
        let transport = WatchedTransport(FolderTransport(folder: registry.view))
        let report = try await device.updater(transport: transport).repair()
        #expect(report.left == [])
        #expect(report.repaired.count == 2)
        #expect(await transport.paths == [ViewPath.object(digest).description])
        #expect(try await device.page("checkout", "a/b/c.js") == "deep")
        #expect(try await device.updater().repair().repaired == [])
    }

    @Test func `an object that is gone is taken from the site's files, without network`() async throws {
        let object = StoreLayout(folder: device.store).object(Digest(of: Array("deep".utf8)))
        try FileManager.default.removeItem(at: object)
        let transport = WatchedTransport(FolderTransport(folder: registry.view))
        #expect(try await device.updater(transport: transport).repair().left == [])
        #expect(await transport.paths.isEmpty)
        #expect(try String(contentsOf: object, encoding: .utf8) == "deep")
    }

    @Test func `a file that somebody changed in the site is put right`() async throws {
        let file = device.store.appending(path: "unzipFiles/checkout/1.0.0/index.html")
        try FileManager.default.removeItem(at: file)
        try Data("bad".utf8).write(to: file)
        _ = try await device.updater().repair()
        #expect(try String(contentsOf: file, encoding: .utf8) == "one")
    }

    @Test func `a damaged state is an error that says what to do, and a repair makes it again`() async throws {
        let state = device.store.appending(path: "state.json")
        // The second is longer than any state is, and was read no more.
        for damage in [Data("{\"format\": 1".utf8), Data(repeating: 0x20, count: 17 << 20)] {
            try damage.write(to: state)
            let updater = try device.updater()
            do {
                _ = try await updater.status()
                Issue.record("a damaged state was read")
            } catch {
                guard case .storeIsDamaged(state.path, _) = error as? UpdateError else { throw error }
            }
            await #expect(throws: UpdateError.self) { try await updater.update(.all) }
            await #expect(throws: UpdateError.self) { try await updater.open(PackageID("checkout")) }
            let report = try await updater.repair()
            #expect(report.repaired.first?.contains("state.json was damaged") == true)
            #expect(try Data(contentsOf: state.appendingPathExtension("damaged")) == damage)
            #expect(try await device.page("checkout") == "one")
            #expect(try await device.updater().update(.all).failures.isEmpty)
        }
    }

    @Test func `a state that could not be read back is not written`() throws {
        let store = try DeviceStore(folder: device.store)
        let before = try Data(contentsOf: store.layout.state)
        #expect(throws: UpdateError.self) {
            try store.change { $0[try PackageID("checkout")].decision = String(repeating: "x", count: 17 << 20) }
        }
        #expect(try Data(contentsOf: store.layout.state) == before)
    }

    @Test func `names that somebody makes up do not fill the store`() async throws {
        let updater = try device.updater()
        for number in 0..<200 { _ = try await updater.open(PackageID("made-up-\(number)")) }
        #expect(try await updater.status().count <= 1 + StoreState.wishLimit)
        try await updater.update(.all)
        #expect(try await updater.status().map(\.package.text) == ["checkout"])
        await #expect(throws: UpdateError.self) { try await updater.rollBack(PackageID("nobody")) }
        #expect(try await updater.status().map(\.package.text) == ["checkout"])
    }

    @Test func `what cannot be read is an error, and only what is not there is absent`() throws {
        // Longer than a name can be: an error of the file system that is not "no such file".
        let sick = device.store.appending(path: String(repeating: "n", count: 300))
        #expect(throws: UpdateError.self) { try Durable.read(sick, maximumByteCount: 10) }
        #expect(throws: UpdateError.self) { try Durable.names(in: sick) }
        #expect(throws: UpdateError.self) { try Durable.exists(sick) }
        for absent in ["none", "none/none", "state.json/none"].map({ device.store.appending(path: $0) }) {
            #expect(try Durable.read(absent, maximumByteCount: 10) == nil)
            #expect(try Durable.names(in: absent) == [])
            #expect(try !Durable.exists(absent))
        }
    }

    @Test func `a store below a link to nothing, or below a file, is an error`() throws {
        let link = device.store.appending(path: "link")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "nowhere")
        let file = device.store.appending(path: "events.jsonl")
        for folder in [link.appending(path: "a/b"), link, file, file.appending(path: "a")] {
            #expect(throws: UpdateError.self) { try DeviceStore(folder: folder).change { $0.deviceID = "x" } }
        }
    }

    @Test func `a lock on a file that was removed meanwhile is taken again on the one that counts`() async throws {
        let url = device.store.appending(path: "some.lock")
        let first = try Durable.lock(url, .exclusive)
        async let second = Task.detached { try Durable.lock(url, .exclusive) }.value
        try await Task.sleep(for: .milliseconds(50))
        try FileManager.default.removeItem(at: url)
        let third = try Durable.lock(url, .exclusive)
        _ = consume first
        try await Task.sleep(for: .milliseconds(50))
        #expect(try Durable.lock(ifFree: url, .exclusive) == nil)
        _ = consume third
        #expect(try await second.url == url)
    }

    @Test func `a first update that comes to nothing makes no store`() async throws {
        let fresh = try TestDevice(registry)
        let updater = try fresh.updater(trust: .unreachable(address: "x", reason: "no network"))
        for _ in 1...2 {
            await #expect(throws: UpdateError.self) { try await updater.update(.all) }
            await #expect(throws: UpdateError.self) { try await updater.check(.all) }
            #expect(!FileManager.default.fileExists(atPath: fresh.store.path))
        }
        try await fresh.updater().update(.all)
        #expect(try await fresh.page("checkout") == "one")
        // One that is there keeps what it has, and notes why.
        await #expect(throws: UpdateError.self) {
            try await fresh.updater(trust: .noRoot).update(.all)
        }
        #expect(try fresh.events(.checkFailed).count == 1)
    }

    @Test func `while the files of a version that must stay are gone, no object is removed`() async throws {
        let layout = StoreLayout(folder: device.store)
        try FileManager.default.removeItem(at: layout.tree(PackageID("checkout"), one.version))
        let object = layout.object(Digest(of: Array("deep".utf8)))
        _ = try await device.updater().collectGarbage()
        #expect(FileManager.default.fileExists(atPath: object.path))
        // The next update makes them again, from what is here.
        let transport = WatchedTransport(FolderTransport(folder: registry.view))
        let report = try await device.updater(transport: transport).update(.all)
        #expect(report.entries.map(\.outcome) == [.activated(one.version)])
        #expect(await transport.paths.isEmpty)
        #expect(try await device.page("checkout", "a/b/c.js") == "deep")
        #expect(try device.state("checkout").active?.isConfirmed == true)
    }

    @Test func `what a killed update left is cleared, and nothing else`() async throws {
        let before = try device.listing()
        let layout = StoreLayout(folder: device.store)
        for name in ["tree-x/a/b", "objects-y", "old-z", "part-0", "preset-1"] {
            try FileManager.default.createDirectory(
                at: layout.downloads.appending(path: name), withIntermediateDirectories: true)
        }
        let orphan = layout.object(Digest(of: Array("orphan".utf8)))
        try FileManager.default.createDirectory(
            at: orphan.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("orphan".utf8).write(to: orphan)
        _ = try await device.updater().collectGarbage()
        let after = try device.listing()
        #expect(after.filter { $0 != "pins" } == before.filter { !$0.hasPrefix("pins/") })
    }

    @Test func `an event of a kind that only a newer program knows is read as unknown`() throws {
        let line = #"{"event":"paused","package":"checkout","time":1,"version":"1.0.0","why":"somebody said so"}"#
        let file = device.store.deletingLastPathComponent().appending(path: "newer.jsonl")
        try Data((line + "\n").utf8).write(to: file)
        let event = try #require(EventLog(file: file).events(limit: 1).first)
        #expect(event.kind == .unknown && event.why == "somebody said so")
    }

    @Test func `the log never grows beyond its limit and keeps the newest`() throws {
        let log = EventLog(file: device.store.appending(path: "log.jsonl"), maximumByteCount: 4096)
        for number in 0..<500 {
            log.append(Event(time: Date(), kind: .decided, package: nil, version: nil, why: "event \(number)"))
        }
        #expect((Durable.size(of: log.file) ?? .max) <= 4096)
        let events = log.events(limit: .max)
        #expect(events.last?.why == "event 499")
        #expect(events.count > 10)
    }

    @Test func `a text of megabytes, or a log that somebody filled, does not end the log`() throws {
        let log = EventLog(file: device.store.appending(path: "log.jsonl"), maximumByteCount: 64 << 10)
        func note(_ why: String) {
            log.append(Event(time: Date(), kind: .decided, package: nil, version: nil, why: why))
        }
        note(String(repeating: "é", count: 1 << 20))
        note("after it")
        #expect(log.events(limit: .max).map { $0.why.utf8.count } == [4096 + 3, 8])
        try Data(repeating: 0x78, count: 1 << 20).write(to: log.file)
        note("lost")
        note("kept")
        #expect(log.events(limit: .max).map(\.why) == ["kept"])
    }

    /// A thousand with PACKTOOL_LONG=1.
    @Test func `many updates between two versions leave exactly the files that one update leaves`() async throws {
        let two = try registry.publish("checkout", "1.1.0", ["index.html": "two", "a/b/c.js": "deep", "x.js": "x"])
        try registry.patch(from: one, to: two, manifest: true)
        try registry.patch(from: two, to: one, manifest: true)
        func update(_ number: Int) async throws {
            try registry.set(
                PackageID("checkout"),
                [
                    Release(
                        id: "n\(number)",
                        offer: number.isMultiple(of: 2)
                            ? .version(one.version, manifest: one.manifest)
                            : .version(two.version, manifest: two.manifest))
                ])
            #expect(try await device.updater().update(.all).failures.isEmpty)
            try await device.confirm("checkout")
        }
        try await update(1)
        let after = try device.listing()
        let rounds = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] == nil ? 50 : 1000
        for number in 2...(rounds + 1) { try await update(number) }
        #expect(try device.listing() == after)
    }
}
