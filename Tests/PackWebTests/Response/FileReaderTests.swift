import Foundation
import PackWeb
import PackWebOnline
import Testing

struct FileReaderTests {
    @Test func `a file is read in chunks, byte for byte, and stays readable when it is deleted`() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let bytes = Data((0..<(FileReader.chunkSize * 2 + 17)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        try bytes.write(to: file)
        var reader = try FileReader(file, range: 5..<(bytes.count - 3))
        try FileManager.default.removeItem(at: file)
        var read = Data()
        var chunks = 0
        while let chunk = try reader.next() {
            read += chunk
            chunks += 1
            #expect(chunk.count <= FileReader.chunkSize)
        }
        #expect(read == bytes[5..<(bytes.count - 3)])
        #expect(chunks == 3)
        #expect(throws: WebError.self) { _ = try FileReader(file, range: 0..<1) }
    }

    @Test func `a file that became shorter is an error and no short answer`() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("abc".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var reader = try FileReader(file, range: 0..<5)
        #expect(try reader.next() == Data("abc".utf8))
        #expect(throws: WebError.self) { _ = try reader.next() }
    }
}
