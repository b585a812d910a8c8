import Foundation
import PackFormat

@testable import PackUpdater

/// Two packages, `admin` and `shop`, that are released as sets, and a device.
protocol SetScene {
    var registry: TestRegistry { get }
    var device: TestDevice { get }
}

extension SetScene {
    @discardableResult
    func publish(_ version: String, _ packages: String..., set: String?, percent: Int = 100) throws
        -> [VersionID]
    {
        try packages.map { package in
            let id = try registry.publish(package, version, ["index.html": "\(package) \(version)"])
            try registry.release(
                package, id, release: "\(package)-\(version.replacing(".", with: ""))", percent: percent, set: set)
            return id
        }
    }

    func pages() async throws -> [String?] {
        [try await device.page("admin"), try await device.page("shop")]
    }

    /// Both packages in 1.0.0, confirmed.
    func installed() async throws {
        try publish("1.0.0", "admin", "shop", set: "s1")
        try await device.updater().update(.all)
        for package in ["admin", "shop"] { try await device.confirm(package) }
    }

    func until(_ holds: () throws -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            if try holds() { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}
