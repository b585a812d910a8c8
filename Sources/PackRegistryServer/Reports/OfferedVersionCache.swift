import PackFormat
import PackRegistry

/// Keeps what the channels ever offered, so that a report costs no query. It looks again when a report names something
/// else, but not more than once a second: anybody can send such reports.
actor OfferedVersionCache {
    private static let interval: Duration = .seconds(1)
    /// After which it looks again all the same: sizes of zips become known later.
    private static let lifetime: Duration = .seconds(60)

    private let host: any RegistryHost
    private var known = OfferedVersions()
    private var read: ContinuousClock.Instant?
    private var reading: Task<OfferedVersions, any Error>?

    init(host: any RegistryHost) {
        self.host = host
    }

    /// - Throws: `RegistryError` where the registry cannot be read.
    func covering(_ batch: ReportBatch) async throws -> OfferedVersions {
        let age = read.map { ContinuousClock.now - $0 } ?? .seconds(1 << 30)
        guard age > Self.lifetime || age > Self.interval && !known.covers(batch) else { return known }
        if let reading { return try await reading.value }
        let reading = Task { [host] in try await host.offeredVersions() }
        self.reading = reading
        defer { self.reading = nil }
        known = try await reading.value
        read = .now
        return known
    }
}
