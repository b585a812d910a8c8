package import Foundation
import PackArchive
import PackFormat
import PackJSON

extension PackConfiguration {
    /// The known keys by the object that contains them. templates/config/packtool.schema.json has the same keys.
    package static let keys = [
        "$schema", "app", "package", "version", "entry", "registry", "storage", "channel", "ignore", "shared", "budget",
        "origins",
        "requires", "state", "spa", "headers", "base", "serviceWorker", "api", "audit", "dist", "compression",
        "out",
    ]
    package static let auditKeys = Finding.Kind.allCases.filter(\.isAdjustable).map(\.rawValue)
    package static let sharedKeys = ["name", "include", "auto"]
    package static let budgetKeys = ["total", "file", "files"]
    package static let requiresKeys = ["app"]
    package static let stateKeys = ["version", "reads"]

    /// - Throws: ``BuildError`` with line and column.
    package init(contentsOf file: URL) throws {
        let bytes: Data
        do {
            bytes = try Data(contentsOf: file)
        } catch {
            throw BuildError.unreadable(file.path, reason: "\(error.localizedDescription)")
        }
        try self.init(parsing: Array(bytes), named: file.path)
        self.file = file
    }

    /// - Throws: ``BuildError`` with line and column.
    package init(parsing bytes: [UInt8], named name: String) throws {
        self.init()
        let reader = ConfigurationReader(file: name, bytes: bytes)
        let document = try reader.document()
        try reader.check(document, known: Self.keys, in: nil)
        app = try reader.value(document, "app") { try $0.string() }
        package = try reader.value(document, "package") { try PackageID($0.string()) }
        version = try reader.value(document, "version") { value in
            if case .integer = value { throw ConfigurationReader.Fault(ConfigurationReader.versionHint) }
            return try SemanticVersion(value.string())
        }
        entry = try reader.value(document, "entry") { try PackagePath($0.string()) }
        registry = try reader.value(document, "registry") { try $0.string() }
        storage = try reader.value(document, "storage") { try $0.string() }
        channel = try reader.value(document, "channel") { try ChannelName($0.string()) }
        ignore = try reader.value(document, "ignore") { try reader.strings($0) } ?? []
        origins =
            try reader.value(document, "origins") { value in
                let origins = try reader.strings(value)
                if let fault = origins.lazy.compactMap({ Manifest.fault(ofOrigin: $0) }).first {
                    throw ConfigurationReader.Fault(fault + ", such as https://www.example.com/shop/")
                }
                return origins
            } ?? []
        isSinglePage = try reader.value(document, "spa") { try $0.bool() } ?? false
        out = try reader.value(document, "out") { try $0.string() }
        compression = try reader.value(document, "compression") { value in
            let text = try value.string()
            guard let level = CompressionLevel(rawValue: text) else {
                let names = CompressionLevel.allCases.map(\.rawValue)
                throw ConfigurationReader.Fault("\"\(text)\" is none of \(names.joined(separator: ", "))")
            }
            return level
        }
        headers =
            try reader.value(document, "headers") { value in
                var headers: [String: String] = [:]
                for member in try value.object().members {
                    let name = member.key.lowercased()
                    guard Manifest.fault(ofHeaderName: name) == nil else {
                        throw ConfigurationReader.Fault(
                            "\"\(member.key)\" is no name of a header: it has letters, digits and - only, as x-frame-options does"
                        )
                    }
                    guard !AnswerFields.names.contains(name) else {
                        throw ConfigurationReader.Fault(
                            "\"\(member.key)\" is set by whoever serves the file, for each answer: leave it out")
                    }
                    headers[name] = try member.value.string(member.key)
                }
                return headers
            } ?? [:]
        base = try reader.value(document, "base") { try BaseSetting($0.string()) }
        dist = try reader.value(document, "dist") { try $0.string() }
        audit = try Self.audit(document, reader)
        wantsServiceWorker = try reader.value(document, "serviceWorker") { try $0.bool() } ?? false
        api =
            try reader.value(document, "api") { value in
                let members = try value.object().members.map { ($0.key, try $0.value.string($0.key)) }
                return try APIRoutes(Dictionary(members, uniquingKeysWith: { $1 }))
            } ?? .none
        if let requires = try reader.object(document, "requires", known: Self.requiresKeys) {
            requiredApp = try reader.value(requires, "app") { try VersionRange($0.string()) }
        }
        if let json = try reader.object(document, "state", known: Self.stateKeys) {
            let version = try reader.value(json, "version") { try $0.integer() }
            let reads = try reader.value(json, "reads") { try Manifest.State.range($0.array()) }
            state = try reader.value(document, "state") { _ in
                guard let number = version ?? reads?.upperBound else {
                    throw ConfigurationReader.Fault("give the number of the form that the pages store: \"version\": 1")
                }
                return try Manifest.State(version: number, reads: reads ?? number...number)
            }
        }
        if let shared = try reader.object(document, "shared", known: Self.sharedKeys) {
            self.shared.name = try reader.value(shared, "name") { try PackageID($0.string()) }
            self.shared.include = try reader.value(shared, "include") { try reader.strings($0) } ?? []
            self.shared.isAutomatic = try reader.value(shared, "auto") { try $0.bool() }
        }
        if let budget = try reader.object(document, "budget", known: Self.budgetKeys) {
            self.budget.total = try reader.value(budget, "total", reader.byteCount)
            self.budget.file = try reader.value(budget, "file", reader.byteCount)
            if let files = try reader.value(budget, "files", { try $0.object() }) {
                self.budget.files = try files.members.map { member in
                    let limit = try reader.value(files, member.key, reader.byteCount) ?? 0
                    return Budget.Pattern(pattern: member.key, limit: limit)
                }
            }
        }
    }
}

extension PackConfiguration {
    private static func audit(_ document: JSONObject, _ reader: ConfigurationReader) throws -> AuditLevels {
        var levels = AuditLevels()
        guard let kinds = try reader.object(document, "audit", known: auditKeys) else { return levels }
        for member in kinds.members {
            guard let kind = Finding.Kind(rawValue: member.key) else { continue }
            if case .object(let patterns) = member.value {
                // In the order of the file: the last one that matches counts.
                for pattern in patterns.members.sorted(by: { $0.offset ?? 0 < $1.offset ?? 0 }) {
                    let level = try reader.value(patterns, pattern.key) { try reader.level($0) }
                    if let level { levels.set(level, for: kind, files: pattern.key) }
                }
            } else if let level = try reader.value(kinds, member.key, { try reader.level($0) }) {
                levels.set(level, for: kind)
            }
        }
        return levels
    }
}

/// Parses a configuration and reports the place of a mistake.
struct ConfigurationReader {
    struct Fault: Error {
        let reason: String

        init(_ reason: String) {
            self.reason = reason
        }
    }

    let file: String
    let bytes: [UInt8]

    static let versionHint = "a version is a string with three numbers, such as \"1.0.0\""

    func document() throws -> JSONObject {
        do {
            return try JSONValue(parsing: bytes, options: .init(allowsComments: true)).object("packtool.json")
        } catch JSONError.syntax(let line, let column, let reason) {
            // 1.0 is no number that this JSON has, so the fault is met before the key is known.
            let isVersion =
                String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
                .dropFirst(line - 1).first?.contains(/"version"\s*:\s*[0-9]/) ?? false
            throw BuildError.configuration(
                file: file, line: line, column: column, reason: isVersion ? Self.versionHint : reason)
        } catch {
            throw BuildError.configuration(file: file, line: 1, column: 1, reason: "\(error)")
        }
    }

    /// Refuses a key that is not known, and says which one may be meant.
    func check(_ object: JSONObject, known: [String], in parent: String?) throws {
        let members = object.members.sorted { $0.offset ?? 0 < $1.offset ?? 0 }
        for member in members where !known.contains(member.key) {
            let name = parent.map { "\($0).\(member.key)" } ?? member.key
            let hint =
                Suggestion.nearest(to: member.key, among: known).map { "did you mean \"\($0)\"?" }
                ?? "known keys are \(known.filter { $0 != "$schema" }.joined(separator: ", "))"
            throw fault(member, "the key \"\(name)\" is not known; \(hint)")
        }
    }

    /// Reads one key with its position in the error.
    func value<Value>(_ object: JSONObject, _ key: String, _ read: (JSONValue) throws -> Value) throws -> Value? {
        guard let member = object.members.first(where: { $0.key == key }) else { return nil }
        do {
            return try read(member.value)
        } catch let error as BuildError {
            throw error
        } catch JSONError.unexpected(_, let wanted, let found) {
            throw fault(member, "\"\(key)\" must be \(wanted), not \(found)")
        } catch let error as Fault {
            throw fault(member, "\"\(key)\": \(error.reason)")
        } catch {
            throw fault(member, "\"\(key)\": \(error)")
        }
    }

    func object(_ parent: JSONObject, _ key: String, known: [String]) throws -> JSONObject? {
        try value(parent, key) { value in
            let object = try value.object()
            try check(object, known: known, in: key)
            return object
        }
    }

    func strings(_ value: JSONValue) throws -> [String] {
        try value.array().map { try $0.string() }
    }

    func level(_ value: JSONValue) throws -> AuditLevels.Level {
        guard case .string(let text) = value, let level = AuditLevels.Level(rawValue: text) else {
            throw Fault("a level is \"error\", \"warning\" or \"off\", or these by pattern: {\"docs/**\": \"off\"}")
        }
        return level
    }

    func byteCount(_ value: JSONValue) throws -> Int {
        if case .integer(let count) = value, count >= 0 { return count }
        guard case .string(let text) = value, let count = ByteCount.parse(text) else {
            throw Fault("a size is a number of bytes or a text such as \"300 kB\" or \"1.5 MiB\"")
        }
        return count
    }

    private func fault(_ member: JSONObject.Member, _ reason: String) -> BuildError {
        let before = bytes.prefix(member.offset ?? 0)
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return .configuration(
            file: file, line: before.count { $0 == UInt8(ascii: "\n") } + 1, column: before.count - lineStart + 1,
            reason: reason)
    }
}

/// Suggests the word that somebody probably meant.
enum Suggestion {
    static func nearest(to word: String, among known: [String]) -> String? {
        let distances = known.map { (distance(Array(word.lowercased()), Array($0.lowercased())), $0) }
        guard let best = distances.min(by: { $0.0 < $1.0 }), best.0 <= max(2, best.1.count / 3) else { return nil }
        return best.1
    }

    /// Levenshtein's distance.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let next = a == b ? diagonal : 1 + min(diagonal, row[j], row[j + 1])
                diagonal = row[j + 1]
                row[j + 1] = next
            }
        }
        return row[right.count]
    }
}
