import PackJSON

/// Reads the JSON that somebody wrote, such as a plan or a set, field by field, and says of each mistake where it is: by its path, such as
/// `steps[2].share`, and by its offset in the text.
struct FieldReader {
    struct Mistake: Error {
        var fault: FieldFault
        var offset: Int?
    }

    let object: JSONObject
    /// Of the object; empty for the document.
    let path: String

    init(_ value: JSONValue, path: String, known: [String]) throws(Mistake) {
        guard case .object(let object) = value else {
            throw Mistake(fault: FieldFault(path, "it must be an object, not \(value.kind)"))
        }
        self.object = object
        self.path = path
        for member in object.members.sorted(by: { $0.offset ?? 0 < $1.offset ?? 0 }) where !known.contains(member.key) {
            throw Mistake(
                fault: FieldFault(
                    place(member.key.count > 40 ? "\(member.key.prefix(40))…" : member.key),
                    "the key is not known (there are: \(known.joined(separator: ", ")))"), offset: member.offset)
        }
    }

    /// Reads one key, which may be missing.
    func value<Value>(_ key: String, _ read: (JSONValue, _ path: String) throws -> Value) throws(Mistake) -> Value? {
        guard let member = object.members.first(where: { $0.key == key }) else { return nil }
        do {
            return try read(member.value, place(key))
        } catch var mistake as Mistake {
            mistake.offset = mistake.offset ?? member.offset
            throw mistake
        } catch JSONError.unexpected(_, let wanted, let found) {
            throw Mistake(fault: FieldFault(place(key), "it must be \(wanted), not \(found)"), offset: member.offset)
        } catch let fault as FieldFault {
            throw Mistake(fault: fault.below(place(key)), offset: member.offset)
        } catch {
            throw Mistake(fault: FieldFault(place(key), "\(error)"), offset: member.offset)
        }
    }

    func required<Value>(_ key: String, _ read: (JSONValue, _ path: String) throws -> Value) throws -> Value {
        guard let value = try value(key, read) else { throw FieldFault(path, "\"\(key)\" is missing") }
        return value
    }

    private func place(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    /// Reads a file, in which comments and trailing commas are allowed.
    /// - Parameters:
    ///   - name: of the file, for messages.
    ///   - kind: what it is, such as `a plan`.
    /// - Throws: ``RegistryError`` of the kind `.invalid` that says file, line, column, place and reason.
    static func file<Value>(
        _ bytes: [UInt8], named name: String, as kind: String, maximumByteCount: Int,
        _ read: (JSONValue) throws(Mistake) -> Value
    ) throws(RegistryError) -> Value {
        guard bytes.count <= maximumByteCount else {
            throw RegistryError(
                .invalid, "\(name): it has \(bytes.count) bytes, and \(kind) has \(maximumByteCount) at most")
        }
        let document: JSONValue
        do {
            document = try JSONValue(parsing: bytes, options: .init(allowsComments: true, maximumDepth: 16))
        } catch JSONError.syntax(let line, let column, let reason) {
            let hint = reason.contains("fractions") ? ": write a share with decimals as \"0.5\"" : ""
            throw RegistryError(.invalid, "\(name):\(line):\(column): \(reason)\(hint)")
        } catch { throw RegistryError(.invalid, "\(name): \(error)") }
        do { return try read(document) } catch {
            let offset = error.offset ?? Self.offset(of: error.fault.place, in: document)
            throw RegistryError(.invalid, "\(name):\(position(of: offset, in: bytes)) \(error.fault)")
        }
    }

    /// Such as `3:14:`, for line and column from 1.
    private static func position(of offset: Int?, in bytes: [UInt8]) -> String {
        guard let offset else { return "" }
        let before = bytes.prefix(offset)
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return "\(before.count { $0 == UInt8(ascii: "\n") } + 1):\(before.count - lineStart + 1):"
    }

    /// Finds where the value of a path such as `steps[2].share` stands: at its key, or the nearest one above.
    static func offset(of path: String, in document: JSONValue) -> Int? {
        var (value, offset) = (document, nil as Int?)
        for part in path.split(whereSeparator: { $0 == "." || $0 == "[" }) {
            switch value {
            case .object(let object):
                guard let member = object.members.first(where: { $0.key == part }) else { return offset }
                (value, offset) = (member.value, member.offset ?? offset)
            case .array(let items):
                guard let index = Int(part.dropLast()), items.indices.contains(index) else { return offset }
                value = items[index]
                // The place of an object's first key is as near as it gets.
                if case .object(let object) = value { offset = object.members.compactMap(\.offset).min() ?? offset }
            default: return offset
            }
        }
        return offset
    }
}

extension FieldFault {
    /// The same with its place below another.
    fileprivate func below(_ parent: String) -> FieldFault {
        FieldFault(place.isEmpty ? parent : place.hasPrefix(parent) ? place : "\(parent).\(place)", reason)
    }
}
