import PackJSON

/// Reads a plan's JSON and says of each mistake where it is: by its path, such as `steps[2].share`, and by its offset in the text.
struct PlanReader {
    struct Mistake: Error {
        var fault: PlanFault
        var offset: Int?
    }

    let object: JSONObject
    /// Of the object; empty for the document.
    let path: String

    init(_ value: JSONValue, path: String, known: [String]) throws(Mistake) {
        guard case .object(let object) = value else {
            throw Mistake(fault: PlanFault(path, "it must be an object, not \(value.kind)"))
        }
        self.object = object
        self.path = path
        for member in object.members.sorted(by: { $0.offset ?? 0 < $1.offset ?? 0 }) where !known.contains(member.key) {
            throw Mistake(
                fault: PlanFault(
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
            throw Mistake(fault: PlanFault(place(key), "it must be \(wanted), not \(found)"), offset: member.offset)
        } catch let fault as PlanFault {
            throw Mistake(fault: fault.below(place(key)), offset: member.offset)
        } catch {
            throw Mistake(fault: PlanFault(place(key), "\(error)"), offset: member.offset)
        }
    }

    func required<Value>(_ key: String, _ read: (JSONValue, _ path: String) throws -> Value) throws -> Value {
        guard let value = try value(key, read) else { throw PlanFault(path, "\"\(key)\" is missing") }
        return value
    }

    private func place(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

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

extension PlanFault {
    /// The same with its place below another.
    fileprivate func below(_ parent: String) -> PlanFault {
        PlanFault(place.isEmpty ? parent : place.hasPrefix(parent) ? place : "\(parent).\(place)", reason)
    }
}
