import Foundation
import PackFormat

/// A channel file of as many packages as one may have, each with a release under a rollout above one for everyone.
struct MeasuredChannel {
    private static let rounds = 21
    private static let conditions = [
        "platform=ios,android; app>=3.2 <5", "os>=17; locale=de,fr-FR,en", "region=DE,AT,US", "model=iPhone14*,Pixel",
        "network=unmetered", "tag.tier=gold,silver", "group=testers",
    ]

    private let bytes: [UInt8]
    private let device: DeviceFacts

    init() throws {
        var packages: [PackageID: ChannelFile.Package] = [:]
        for index in 0..<ChannelFile.maximumPackageCount {
            // Four packages in eight are a set, and have one rollout.
            let set = index % 8 < 4 ? "set-\(index / 8)" : nil
            let kind = set == nil ? index : index / 8
            let audiences = try [0, 3].prefix(kind % 2 + 1).map { offset in
                let first = Self.conditions(kind + offset)
                return try Audience("\(first); \(Self.conditions(kind + offset + 1))")
            }
            let rollout = Rollout(share: try Share(tenThousandths: 100 + kind * 37 % 9_900), audiences: audiences)
            let policy = try index % 5 == 4 ? ClientPolicy(install: .nextPage, network: .unmetered) : .standard
            packages[try PackageID("package-\(index)")] = ChannelFile.Package(releases: [
                try release("r2-\(index)", "1.1.0", rollout, policy, set: set), try release("r1-\(index)", "1.0.0"),
            ])
        }
        bytes =
            ChannelFile(
                app: "shop", channel: try ChannelName("stable"), packages: packages,
                groups: ["testers": GroupReference(deviceCount: 1, digest: Digest(of: Array("testers".utf8)))]
            ).bytes
        device = DeviceFacts(
            deviceID: "4f1c2a", appVersion: try AppVersion("3.4.1 (17)"), platform: "ios", tags: ["tier": "gold"],
            osVersion: try AppVersion("17.4.1"), locale: "de-AT", region: "AT", model: "iPhone14,2",
            network: .unmetered, groups: ["testers"])
    }

    /// One of each way after the other, so that what else the machine does meets all of them.
    func run() async throws {
        var (parsed, own, served, plain) = ([Double](), [Double](), [Double](), [Double]())
        var taken: (own: [PackageID: String], served: [PackageID: String]) = ([:], [:])
        for _ in 0..<Self.rounds {
            var watch = Stopwatch()
            watch.start()
            let count = try ChannelFile(parsing: bytes).packages.count
            parsed.append(watch.stop())
            watch.start()
            taken.own = try await takenByDevice()
            own.append(watch.stop())
            watch.start()
            taken.served = try answeredByServer()
            served.append(watch.stop())
            watch.start()
            let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
            plain.append(watch.stop())
            guard count == taken.own.count, object != nil, taken.own == taken.served else {
                throw Fault("device and server do not agree on the channel of \(count) packages")
            }
        }
        let rolledOut = taken.own.values.filter { $0.hasPrefix("r2-") }.count
        print("channel", bytes.count, taken.own.count, rolledOut, separator: "\t")
        for (name, seconds) in [("parsed", parsed), ("device", own), ("server", served), ("plain", plain)] {
            print("time", name, seconds.sorted()[seconds.count / 2] * 1000, separator: "\t")
        }
    }

    private func takenByDevice() async throws -> [PackageID: String] {
        let file = try ChannelFile(parsing: bytes)
        let check = try await DeviceCheck(file, ReleaseSets(of: file), device)
        var taken: [PackageID: String] = [:]
        for package in file.packages.keys { taken[package] = try await check.release(of: package) }
        return taken
    }

    private func answeredByServer() throws -> [PackageID: String] {
        let offers = ChannelOffers(try ChannelFile(parsing: bytes))
        var taken: [PackageID: String] = [:]
        for package in offers.file.packages.keys { taken[package] = offers.decision(for: device, package).release?.id }
        return taken
    }

    private static func conditions(_ index: Int) -> String { conditions[index % conditions.count] }
}
