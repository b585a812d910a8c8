import Foundation
import NIOCore
import PackFormat
import Testing

@testable import PackRegistryServer

@Suite struct FileTransferTests {
    private static let byteCount = (3 << 20) + 17

    private static func bytes() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        for index in stride(from: 0, to: bytes.count, by: 97) { bytes[index] = UInt8(truncatingIfNeeded: index / 97) }
        return bytes
    }

    /// From memory, by `sendfile`, and one in one way while the others go the other.
    @Test(arguments: [32 << 20, 0, FileTransfer.pieceByteCount])
    func `large files asked for at once come in order, to each client`(budget: Int) async throws {
        let bytes = Self.bytes()
        let host = try FolderHost(["packages/big-1.0.0.zip": bytes, "packages/small-1.0.0.zip": [1, 2, 3]])
        var limits = ServerLimits()
        limits.maximumTransferByteCount = budget
        try await RunningServer.with(host, limits: limits) { (server) async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let connection = try server.connection()
                        let big = "/packages/big-1.0.0.zip"
                        let range = 300_000...2_900_000
                        let tag = "\"\(Digest(of: bytes))\""
                        await connection.send(
                            RunningServer.request("GET", big)
                                + RunningServer.request("GET", "/packages/small-1.0.0.zip")
                                + RunningServer.request(
                                    "GET", big, ["Range": "bytes=\(range.lowerBound)-\(range.upperBound)"])
                                + RunningServer.request("GET", big, ["If-None-Match": tag])
                                + RunningServer.request("HEAD", big) + RunningServer.request("GET", big))
                        // Compared outside the expectations, which would print two large arrays.
                        let isWhole = try await connection.answer().body == bytes
                        #expect(isWhole)
                        #expect(try await connection.answer().body == [1, 2, 3])
                        let isPart = try await connection.answer().body.elementsEqual(bytes[range])
                        #expect(isPart)
                        #expect(try await connection.answer().status == 304)
                        #expect(try await connection.answer(toHead: true)["content-length"] == "\(Self.byteCount)")
                        let isWholeAgain = try await connection.answer().body == bytes
                        #expect(isWholeAgain)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `clients that go away give their memory back`() async throws {
        let folder = try FolderHost(["big": Self.bytes()])
        let path = folder.viewFolder.appending(path: "big").path(percentEncoded: false)
        let file = try #require(try OpenFile(path: path))
        let budget = FileTransfer.Budget(byteCount: FileTransfer.pieceByteCount)
        /// The bytes in memory; none of a file that goes by itself.
        func way(isSecure: Bool = false) throws -> (FileTransfer, byteCount: Int) {
            let transfer = FileTransfer(of: file, in: 0..<Self.byteCount, budget: budget, isSecure: isSecure)
            switch try #require(try transfer.next()) {
            case .byteBuffer(let piece): return (transfer, piece.readableBytes)
            case .fileRegion(let region):
                #expect(region.readableBytes == Self.byteCount)
                try region.fileHandle.close()
                #expect(try transfer.next() == nil)
                return (transfer, 0)
            }
        }
        var first: (FileTransfer, byteCount: Int)? = try way()
        #expect(first?.byteCount == FileTransfer.pieceByteCount)
        #expect(try way().byteCount == 0)
        #expect(try way(isSecure: true).byteCount == FileTransfer.recordByteCount)
        first = nil
        #expect(try way(isSecure: true).byteCount == FileTransfer.securePieceByteCount)
        #expect(try way().byteCount == FileTransfer.pieceByteCount)
    }

    @Test func `a file that becomes shorter while it is sent ends the connection`() async throws {
        let host = try FolderHost(["packages/big-1.0.0.zip": [UInt8](repeating: 7, count: 40 << 20)])
        try await RunningServer.with(host) { (server) async throws in
            let connection = try server.connection()
            await connection.send(RunningServer.request("GET", "/packages/big-1.0.0.zip"))
            #expect(await connection.hasAnswer())
            #expect(
                truncate(host.viewFolder.appending(path: "packages/big-1.0.0.zip").path(percentEncoded: false), 10) == 0
            )
            await #expect(throws: RawConnection.Closed.self) { try await connection.answer() }
            #expect(try await server.ask("GET", "/health/live").status == 200)
        }
    }
}
