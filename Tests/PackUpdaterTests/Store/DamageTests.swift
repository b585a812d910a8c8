import Foundation
import PackFormat
import Testing

@testable import PackUpdater

/// Damage that leaves every size as it was.
struct DamageTests {
    let registry: TestRegistry
    let device: TestDevice
    let checkout: PackageID
    let one: VersionID
    let two: VersionID

    /// Version 1 worked, version 2 works; both have the same script.
    init() async throws {
        registry = try TestRegistry()
        device = try TestDevice(registry)
        checkout = try PackageID("checkout")
        one = try registry.publish("checkout", "1.0.0", ["index.html": "one", "app.js": "the script"])
        two = try registry.publish("checkout", "1.1.0", ["index.html": "two", "app.js": "the script"])
        for (id, release) in [(one, "r1"), (two, "r2")] {
            try registry.release("checkout", id, release: release)
            try await device.updater().update(.all)
            try await device.confirm("checkout")
        }
    }

    func object(_ text: String) -> URL {
        StoreLayout(folder: device.store).object(Digest(of: Array(text.utf8)))
    }

    /// Writes other bytes of the same size into the file itself, and gives it the time that it had.
    func damage(_ text: String) throws {
        let file = object(text).path
        let before = try FileManager.default.attributesOfItem(atPath: file)
        chmod(file, 0o644)
        let handle = try #require(FileHandle(forUpdatingAtPath: file))
        try handle.write(contentsOf: Data(repeating: UInt8(ascii: "x"), count: text.utf8.count))
        try handle.close()
        chmod(file, 0o444)
        try FileManager.default.setAttributes([.modificationDate: before[.modificationDate] as Any], ofItemAtPath: file)
    }

    @Test func `a damaged version is left at its start, and the next update makes it whole`() async throws {
        try damage("two")
        #expect(try await device.page("checkout") == "one")
        #expect(try device.events(.rolledBack).last?.why.contains("its content has another digest") == true)
        let report = try await device.updater().update(.all)
        #expect(report.entries.map(\.outcome) == [.activated(two.version)])
        #expect(try await device.page("checkout") == "two")
        #expect(try String(contentsOf: object("two"), encoding: .utf8) == "two")
    }

    @Test func `a look at a version says which of its files changed`() throws {
        try damage("the script")
        let layout = StoreLayout(folder: device.store)
        let (record, unchanged) = IdentityLook(layout, checkout, two).result()
        let (script, page) = (Digest(of: Array("the script".utf8)), Digest(of: Array("two".utf8)))
        #expect(try !unchanged[#require(record.index(of: script))])
        #expect(try unchanged[#require(record.index(of: page))])
        #expect(record.index(of: Digest(of: Array("one".utf8))) == nil)
    }

    @Test func `a record made beside a damaged file is not complete, so each start finds the damage`() throws {
        let store = try DeviceStore(folder: device.store)
        let manifest = try #require(try store.manifest(of: checkout, two)).manifest
        try FileManager.default.removeItem(at: store.layout.verified(checkout, two.version))
        try damage("the script")
        let check = ObjectCheck(store.layout)
        for _ in 0..<3 {
            let look = IdentityLook(store.layout, checkout, two)
            #expect(try check.faults(in: manifest, two, after: look).map(\.object.size) == ["the script".utf8.count])
        }
        let record = IdentityLook(store.layout, checkout, two).result().record
        #expect(!record.isComplete && record.index(of: Digest(of: Array("two".utf8))) != nil)
    }

    @Test func `damage is not carried into the next version`() async throws {
        try damage("the script")
        let three = try registry.publish("checkout", "1.2.0", ["index.html": "three", "app.js": "the script"])
        try registry.patch(from: two, to: three)
        try registry.release("checkout", three, release: "r3")
        try await device.updater().update(.all)
        #expect(try await device.page("checkout", "app.js") == "the script")
        #expect(try String(contentsOf: object("the script"), encoding: .utf8) == "the script")
        #expect(try device.events(.fellBack).contains { $0.why.contains("1 files that were here are damaged") })
        #expect(try device.state("checkout").active?.id == three)
    }

    @Test(arguments: [true, false])
    func `where there is no other version, it opens without what is damaged, until an update brings it`(
        isConfirmed: Bool
    ) async throws {
        let device = try TestDevice(registry)
        try await device.updater().update(.all)
        if isConfirmed { try await device.confirm("checkout") }
        let file = StoreLayout(folder: device.store).object(Digest(of: Array("the script".utf8)))
        chmod(file.path, 0o644)
        try Data("THE SCRIPT".utf8).write(to: file)
        #expect(try await device.page("checkout") == "two")
        #expect(!FileManager.default.fileExists(atPath: file.path))
        let report = try await device.updater().update(.all)
        #expect(report.entries.map(\.outcome) == [.activated(two.version)])
        #expect(try String(contentsOf: file, encoding: .utf8) == "the script")
        #expect(try await device.page("checkout", "app.js") == "the script")
        #expect(try await device.updater().update(.all).entries.map(\.outcome) == [.upToDate(two.version)])
        #expect(try device.state("checkout").active?.isConfirmed == isConfirmed)
    }

    @Test func `a repair mends what a start would leave`() async throws {
        try damage("two")
        let report = try await device.updater().repair()
        #expect(report.left == [])
        #expect(try await device.page("checkout") == "two")
        #expect(try device.state("checkout").active?.id == two)
    }

    @Test func `after an update every file is known as it is, so that a start reads none of them`() async throws {
        for number in 2...4 {
            let next = try registry.publish(
                "checkout", "1.\(number).0", ["index.html": "version \(number)", "app.js": "the script"])
            try registry.release("checkout", next, release: "n\(number)")
            try await device.updater().update(.all)
            try await device.confirm("checkout")
        }
        let store = try DeviceStore(folder: device.store)
        let kept = try device.state("checkout").kept
        #expect(kept.map(\.id.version.description) == ["1.4.0", "1.3.0"])
        for installed in kept {
            let manifest = try #require(try store.manifest(of: checkout, installed.id)).manifest
            let bytes = try Data(contentsOf: store.layout.verified(checkout, installed.id.version))
            let record = IdentityRecord(reading: Array(bytes), of: installed.id.manifest)
            var reader = try FileIdentity.Reader(store.layout)
            for file in manifest.files.values {
                let identity = reader.identity(of: file.digest)
                #expect(identity != nil && record[file.digest] == identity)
            }
            #expect(record.isComplete)
            #expect(record.unchanged(&reader) == [true, true])
            let look = IdentityLook(store.layout, checkout, installed.id).result()
            #expect(look.record == record && look.unchanged == [true, true])
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: store.layout.verifiedFolder.path).sorted()
        #expect(names == ["checkout@1.3.0", "checkout@1.4.0"])
    }

    @Test func `a record that is torn, or of another manifest, knows nothing`() throws {
        let digest = Digest(of: [1])
        let identity = FileIdentity(inode: 7, size: 1, modified: -5, changed: .max)
        let record = IdentityRecord([digest: identity, Digest(of: [2]): identity], of: one.manifest, isComplete: true)
        #expect(IdentityRecord(reading: record.written, of: one.manifest)[digest] == identity)
        #expect(IdentityRecord(reading: record.written, of: two.manifest)[digest] == nil)
        #expect(IdentityRecord(reading: record.written, of: one.manifest).isComplete)
        let part = IdentityRecord([digest: identity], of: one.manifest, isComplete: false)
        #expect(!IdentityRecord(reading: part.written, of: one.manifest).isComplete)
        #expect(IdentityRecord(reading: record.written, of: one.manifest)[Digest(of: [3])] == nil)
        for length in 0..<record.written.count {
            #expect(IdentityRecord(reading: Array(record.written[..<length]), of: one.manifest)[digest] == nil)
        }
        for index in record.written.indices {
            var bytes = record.written
            bytes[index] ^= 0x40
            #expect(IdentityRecord(reading: bytes, of: one.manifest)[digest] == nil)
        }
    }
}
