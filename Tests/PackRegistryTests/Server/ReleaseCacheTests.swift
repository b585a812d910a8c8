import Foundation
import Logging
import PackFormat
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistryServer

/// What a server keeps of a channel between two requests.
struct ReleaseCacheTests {
    private static func group(_ name: String, _ devices: [String]) throws -> DeviceGroup {
        let salt = String(repeating: "0a", count: 16)
        return try DeviceGroup(
            name: name, salt: salt, devices: Set(devices.map { DeviceGroup.hash(of: $0, salt: salt) }))
    }

    @Test func `the members of a group are those of its file`() throws {
        let ids = (0..<500).map { "device-\($0)" }
        let members = try GroupMembers(Self.group("testers", ids.filter { $0.hashValue % 2 == 0 }))
        for id in ids { #expect(members.contains(device: id) == (id.hashValue % 2 == 0)) }
        #expect(try !GroupMembers(Self.group("empty", [])).contains(device: "x"))
    }

    @Test func `as many groups as a channel may have are read once, however many devices ask`() async throws {
        let shop = try await Shop()
        try await shop.publisher().publish([shop.page("1.0.0").zip])
        _ = try await shop.registry.change(.offer(version("1.0.0")), of: package(), on: channel())
        let names = (0..<DeviceGroup.maximumCount).map { "group-\($0)" }
        for name in names {
            _ = try await shop.registry.change(.group(Self.group(name, ["\(name)-device"])), on: channel())
        }
        _ = try await shop.registry.change(
            .setRollout(nil, audiences: [Audience("group=\(names.joined(separator: ","))")]), of: package(),
            on: channel())
        let view = ViewController(host: shop.local, cache: FileCache(root: shop.local.viewFolder))
        let cache = ReleaseCache(host: shop.local, view: view)
        for round in 0..<3 {
            for name in names {
                #expect(try await cache.groups(of: "\(name)-device", on: channel()) == [name], "\(round)")
            }
            #expect(try await cache.groups(of: "nobody", on: channel()).isEmpty)
        }
        #expect(await cache.groupReadCount == DeviceGroup.maximumCount)
    }
}
