import Foundation
import PackFormat
import PackUpdaterOnline
import Synchronization

@testable import PackPublisher
@testable import PackUpdater

/// Many devices in one process, each with its own updater, store, id, outbox and network, over real sockets.
///
/// They share the HTTP session, and all but each fiftieth the verified metadata, which is the same for all.
final class Fleet: Sendable {
    /// What happens on a device when a version's page opens.
    enum Page: Sendable {
        case works
        /// The app dies before the page says that it works, each time. Its user starts it again at once.
        case crashes
        /// The same, and its user lets it be for three days.
        case crashesForGood
    }

    /// Where the registry is now, and whom a broken line keeps from it.
    final class Network: Sendable {
        private let state: Mutex<(port: Int, transport: HTTPTransport)>
        private let cut = Mutex<Range<Int>>(0..<0)

        init(port: Int) throws { state = try Mutex((port, Self.transport(port))) }

        private static func transport(_ port: Int) throws -> HTTPTransport {
            var limits = TransferLimits()
            limits.attempts = 1
            limits.parallelism = 8
            return HTTPTransport(base: try address(port), limits: limits)
        }

        static func address(_ port: Int) throws -> URL {
            guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw CancellationError() }
            return url
        }

        var port: Int { state.withLock { $0.port } }
        var transport: HTTPTransport { state.withLock { $0.transport } }

        func move(to port: Int) throws {
            let moved = try Self.transport(port)
            state.withLock { $0 = (port, moved) }
        }

        func cutOff(_ devices: Range<Int>) { cut.withLock { $0 = devices } }

        func check(_ device: Int) throws {
            guard !cut.withLock({ $0.contains(device) }) else {
                throw UpdateError.unreachable(address: "the registry", reason: "the line is broken")
            }
        }
    }

    private struct Device: Sendable {
        let number: Int
        let configuration: UpdaterConfiguration
    }

    /// What became of a version on a device.
    private struct Life {
        var took: [SemanticVersion: Set<Int>] = [:]
        var asleepUntil: [Int: Date] = [:]
        var active: [Int: SemanticVersion] = [:]
    }

    let network: Network
    private let devices: [Device]
    private let clock: Shop.Clock
    private let shared: SharedTargets
    private let life = Mutex(Life())
    /// Seconds between two starts of the app on a device.
    static let interval = 6 * 3600

    init(count: Int, shop: Shop, port: Int) throws {
        network = try Network(port: port)
        clock = shop.clock
        let root = try Array(Data(contentsOf: shop.project.root))
        let memory = URL(filePath: "/dev/shm")
        // Two thousand stores that sync each file would measure the disk.
        let base =
            FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
        folder = base.appending(path: "packtool-fleet-\(UUID().uuidString)")
        let (clock, folder) = (clock, folder)
        devices = try (0..<count).map { number in
            var configuration = UpdaterConfiguration(
                store: folder.appending(path: "\(number)"), base: try Network.address(port), channel: try channel(),
                root: root)
            configuration.deviceID = "device-\(number)"
            configuration.now = { clock.now }
            configuration.reports = ReportSettings()
            configuration.activation = .atOnce
            return Device(number: number, configuration: configuration)
        }
        shared = SharedTargets(
            try TrustedTargets(
                layout: StoreLayout(folder: folder.appending(path: "shared")), root: root,
                transport: FleetTransport(network: network, device: -1), channel: channel(), now: { clock.now }))
    }

    private let folder: URL

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// The devices that ever had a version.
    func took(_ version: SemanticVersion) -> Set<Int> { life.withLock { $0.took[version] ?? [] } }

    /// The version that each device has now.
    var active: [Int: SemanticVersion] { life.withLock { $0.active } }

    /// Lets the app start on each device whose time it is, a few at once.
    /// - Parameter hour: counts up.
    func run(hour: Int, _ page: @escaping @Sendable (Int, SemanticVersion) -> Page) async throws {
        let hours = Self.interval / 3600
        let now = clock.now
        let due = devices.filter { device in
            device.number % hours == hour % hours && life.withLock { $0.asleepUntil[device.number] ?? now } <= now
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, device) in due.enumerated() {
                if index >= 8 { try await group.next() }
                group.addTask { [self] in try await start(device, page) }
            }
            try await group.waitForAll()
        }
    }

    /// One use of the app: its updater starts, looks for news and reports, and a page opens.
    private func start(_ device: Device, _ page: @Sendable (Int, SemanticVersion) -> Page) async throws {
        // Each turn is a process that a crash ended.
        for _ in 0..<4 {
            let updater = try updater(of: device)
            try await updater.start()
            // Without a line it goes on with what it has.
            _ = try? await updater.update()
            guard let session = try await updater.openInstalled(package()) else { return }
            let version = session.version
            life.withLock { life in
                life.took[version, default: []].insert(device.number)
                life.active[device.number] = version
            }
            switch page(device.number, version) {
            case .works:
                try await updater.confirm(package(), version: version, loadToken: session.loadToken)
                // What waits for an earlier request is sent with the next.
                for _ in 0..<2 { await updater.sendReports() }
                return
            case .crashes: await updater.sendReports()
            case .crashesForGood:
                await updater.sendReports()
                life.withLock { $0.asleepUntil[device.number] = clock.now.addingTimeInterval(3 * 86_400) }
                return
            }
        }
    }

    private func updater(of device: Device) throws -> Updater {
        let transport = FleetTransport(network: network, device: device.number)
        return try Updater(
            device.configuration, transport: transport, reportTransport: transport
        ) { [shared, network] layout, root, transport, now in
            if device.number % 50 == 0 {
                return try TrustedTargets(
                    layout: layout, root: root, transport: transport, channel: channel(), now: now)
            }
            return FleetTargets(shared: shared, network: network, device: device.number)
        }
    }
}

/// One device's way to the registry. Reports come from a network of its own, by the word of a trusted proxy.
private struct FleetTransport: UpdateTransport, ReportTransport {
    let network: Fleet.Network
    let device: Int

    func read(_ path: String, maximumByteCount: Int, validator: String?) async throws -> ReadAnswer {
        try network.check(device)
        return try await network.transport.read(path, maximumByteCount: maximumByteCount, validator: validator)
    }

    func download(_ path: String, to file: URL, maximumByteCount: Int) async throws -> Bool {
        try network.check(device)
        return try await network.transport.download(path, to: file, maximumByteCount: maximumByteCount)
    }

    func post(_ body: [UInt8], to address: URL) async throws -> (status: Int, retryAfter: Int?) {
        try network.check(device)
        let fields = [
            "Content-Type": "application/json", "Connection": "close",
            "X-Forwarded-For": "10.\(device / 250).\(device % 250).7",
        ]
        let connection = try RawConnection(port: network.port)
        await connection.send(RunningServer.request("POST", "/v1/reports", fields, body: body))
        return (try await connection.answer().status, nil)
    }
}

/// Verified metadata that many devices use; one refresh at a time.
private actor SharedTargets {
    let targets: TrustedTargets
    private var refreshing: Task<Void, any Error>?

    init(_ targets: TrustedTargets) {
        self.targets = targets
    }

    func refresh() async throws {
        if let refreshing { return try await refreshing.value }
        let task = Task { try await targets.refresh() }
        refreshing = task
        defer { refreshing = nil }
        try await task.value
    }
}

private struct FleetTargets: SignedTargets {
    let shared: SharedTargets
    let network: Fleet.Network
    let device: Int

    func refresh() async throws {
        try network.check(device)
        try await shared.refresh()
    }

    func file(_ path: String) async throws -> SignedFile? { try await shared.targets.file(path) }
    func channelNames() async -> [String] { await shared.targets.channelNames() }
    func target(_ path: String, maximumByteCount: Int) async throws -> [UInt8] {
        try await shared.targets.target(path, maximumByteCount: maximumByteCount)
    }
}
