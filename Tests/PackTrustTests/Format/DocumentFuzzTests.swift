import Foundation
import PackTrust
import TestSupport
import Testing

/// Bent metadata must be refused or read, and never trap; what is read must be written back as the same content.
struct DocumentFuzzTests {
    @Test func `no bent document crashes the reader`() throws {
        var repository = try RepositoryModel()
        try repository.delegate(to: "role", paths: ["a/*", "b?"])
        try repository.delegate(to: "bin", scope: .pathHashPrefixes(["0", "ab"]))
        repository.add("a/b", "content", to: "role")
        repository.add("caf\u{E9}", "content")
        try repository.publishNext()
        let seeds = repository.files.filter { $0.key.hasPrefix("metadata/") }.sorted { $0.key < $1.key }.map(\.value)
        let seconds = ProcessInfo.processInfo.environment["PACKTOOL_FUZZ_SECONDS"].flatMap(Double.init)
        let deadline = seconds.map { Date() + $0 }
        var generator = SeededGenerator(seed: seconds == nil ? 1 : UInt64(Date().timeIntervalSince1970))
        var tried = 0
        var read = 0
        while deadline.map({ Date() < $0 }) ?? (tried < 3_000) {
            tried += 1
            let bytes = bend(seeds, using: &generator)
            if readsBack(bytes) { read += 1 }
        }
        print("fuzzed \(tried) documents, \(read) of them were still metadata")
        #expect(read > 0 && read < tried)
    }

    private func readsBack(_ bytes: [UInt8]) -> Bool {
        var isRead = false
        func check<Body: RoleMetadata>(_: Body.Type) {
            guard let document = try? SignedDocument<Body>(parsing: bytes) else { return }
            isRead = true
            let again = SignedDocument(unsigned: document.body)
            #expect(again.signedBytes == document.signedBytes, "\(String(decoding: bytes, as: UTF8.self))")
        }
        check(RootMetadata.self)
        check(TimestampMetadata.self)
        check(SnapshotMetadata.self)
        check(TargetsMetadata.self)
        return isRead
    }

    private static let words = [
        "null", "true", "-1", "0", "1", "9223372036854775807", "9223372036854775808", "1.5", "[]", "{}", "\"\"",
        "\"a\"",
        "\\ud800", "\\u0000", "\u{FEFF}", "\"version\":", "\"signed\":", "\"_type\":", "9999-12-31T23:59:59Z", "}", "]",
        "\"", ",", ":",
    ].map { Array($0.utf8) }

    private func bend(_ seeds: [[UInt8]], using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = seeds.randomElement(using: &generator) ?? []
        for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
            let position = Int.random(in: 0..<bytes.count, using: &generator)
            let end = min(bytes.count, position + Int.random(in: 0...20, using: &generator))
            let word = Self.words.randomElement(using: &generator) ?? []
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bytes[position] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes[position] ^= 1 << UInt8.random(in: 0...7, using: &generator)
            case 2: bytes.removeSubrange(position..<end)
            case 3: bytes.insert(contentsOf: bytes[position..<end], at: position)
            case 4: bytes.replaceSubrange(position..<end, with: word)
            default: bytes.insert(contentsOf: word, at: position)
            }
        }
        return bytes
    }
}
