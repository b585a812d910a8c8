import Foundation
import PackJSON
import Testing

@testable import PackFormat

/// Named groups of devices, as files of salted hashes.
@Suite("DeviceGroupTests") struct DeviceGroupTests {
    private static let salt = String(repeating: "0a", count: 16)

    private func group(_ ids: [String], salt: String = salt, name: String = "testers") throws -> DeviceGroup {
        try DeviceGroup(name: name, salt: salt, devices: Set(ids.map { DeviceGroup.hash(of: $0, salt: salt) }))
    }

    @Test func `a group knows its devices, has no id, and is the same after its file`() throws {
        let testers = try group(["ann", "bob"])
        #expect(testers.contains(device: "ann") && !testers.contains(device: "carl"))
        #expect(try DeviceGroup(parsing: testers.bytes) == testers)
        #expect(!String(decoding: testers.bytes, as: UTF8.self).contains("ann"))
        let other = try group(["ann", "bob"], salt: String(repeating: "0b", count: 16))
        #expect(other.devices.isDisjoint(with: testers.devices))
    }

    @Test func `a group of 100000 devices is refused with the reason`() throws {
        let ids = (0..<100_000).map { "\($0)" }
        let error = #expect(throws: FormatError.self) { try group(ids) }
        #expect(error?.description.contains("it has 100,000 devices and a group has at most 50,000") == true)
        let most = try group(Array(ids.prefix(50_000)))
        #expect(most.bytes.count < DeviceGroup.maximumByteCount)
        #expect(try DeviceGroup(parsing: most.bytes).contains(device: "49999"))
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"format":2,"name":"testers","salt":"SALT","hashes":""}"#,
        #"{"format":1,"name":"Testers","salt":"SALT","hashes":""}"#,
        #"{"format":1,"name":"testers","salt":"x","hashes":""}"#,
        #"{"format":1,"name":"testers","salt":"SALT","hashes":"00"}"#,
        #"{"format":1,"name":"testers","salt":"SALT","hashes":["00"]}"#,
        #"{"format":1,"name":"testers","salt":"SALT","hashes":"XX"}"#,
    ])
    func `what is no group is refused`(text: String) {
        let text = text.replacing("SALT", with: Self.salt).replacing("XX", with: String(repeating: "X", count: 32))
        #expect(throws: FormatError.self) { try DeviceGroup(parsing: Array(text.utf8)) }
    }

    @Test func `a condition of a group admits its devices, and nobody whose group is not known`() throws {
        let audience = try Audience("group=testers,staff; platform=ios")
        #expect(audience.description == "group=testers,staff; platform=ios")
        #expect(try [Audience](json: .array([audience.json])) == [audience])
        #expect(throws: FormatError.self) { try Audience("group=../x") }
        #expect(throws: FormatError.self) { try Audience("group!=testers") }
        func refusal(_ groups: Set<String>) -> String? {
            audience.refusal(of: DeviceFacts(deviceID: "d", platform: "ios", groups: groups))
        }
        #expect(refusal(["staff"]) == nil)
        #expect(refusal(["others"]) == "the device is not in the group testers or staff")
        #expect(refusal([]) == "the device is not in the group testers or staff")
    }

    @Test func `a channel names its groups, and only those that a release asks for are fetched`() throws {
        let package = try PackageID("shop")
        let release = try Release(
            id: "r1", offer: .version(SemanticVersion("1.0.0"), manifest: Digest(of: [1])),
            rollout: Rollout(audiences: [Audience("group=testers,gone")]))
        let plain = ChannelFile(
            app: "shop", channel: try ChannelName("beta"), packages: [package: .init(releases: [release])])
        let (testers, staff) = try (group(["ann"]), group(["bob"], name: "staff"))
        let file = try plain.with(testers).with(staff)
        #expect(try ChannelFile(parsing: file.bytes) == file)
        #expect(file.groups(namedBy: file.packages.values) == ["testers"])
        #expect(file.groups["staff"]?.digest == Digest(of: staff.bytes) && file.groups["staff"]?.deviceCount == 1)
        #expect(file.inFormat1.groups.isEmpty && file.without(group: "staff").without(group: "testers") == plain)
        var many = file
        for number in 2..<DeviceGroup.maximumCount { many = try many.with(group(["x"], name: "g\(number)")) }
        #expect(throws: FormatError.self) { try many.with(group(["x"], name: "one-more")) }
    }
}
