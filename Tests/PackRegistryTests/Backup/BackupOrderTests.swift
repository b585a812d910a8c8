import Foundation
import TestSupport
import Testing

@testable import PackRegistryLocal

/// Which backup is the newest, whatever the clock says.
struct BackupOrderTests {
    @Test func `of backups in one second, and with a clock that goes back, the last that was made stays`() async throws
    {
        let shop = try await Shop()
        let place = shop.folder.url.appending(path: "backups", directoryHint: .isDirectory)
        let backup = RegistryBackup(of: shop.local)
        var names: [String] = []
        for _ in 1...12 { names.append(try await backup.run(to: place, keeping: 12).backup.name) }
        #expect(Set(names).count == 12)
        #expect(try BackupFolder(place).backups().map(\.name) == names)
        let newest = try await backup.run(to: place, keeping: 2)
        #expect(newest.removed.map(\.name) == Array(names.prefix(11)))
        shop.clock.advance(seconds: -3600)
        let earlier = try await backup.run(to: place, keeping: 1)
        #expect(try BackupFolder(place).backups().map(\.name) == [earlier.backup.name])
        #expect(earlier.removed.map(\.name) == [names[11], newest.backup.name])
        let last = try await backup.run(to: place, keeping: 1)
        #expect(try BackupFolder(place).backups().map(\.name) == [last.backup.name])
        #expect(!names.contains(last.backup.name) && last.backup.name != earlier.backup.name)
    }
}
