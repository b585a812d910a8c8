import Testing

/// The kill sweep of what a device does.
@Suite(.onFolder) struct DeviceKillSweepTests {
    @Test(arguments: ["update", "start", "confirm", "arrive", "update-set"])
    func `killed before any change on the disk, nothing that was acknowledged is lost and the next run goes through`(
        action: String
    ) async throws {
        try await KillSweep.run(action)
    }
}
