import Foundation
import Testing

@testable import PackUpdater

struct DurableTests {
    @Test func `writers of one file at once all end, and one of their contents is there, whole`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "channel.json")
        let contents = (0..<8).map { Array(repeating: UInt8($0), count: 100_000) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for content in contents {
                group.addTask { for _ in 0..<20 { try Durable.write(content, to: file) } }
            }
            try await group.waitForAll()
        }
        #expect(contents.contains(Array(try Data(contentsOf: file))))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["channel.json"])
    }
}
