import Foundation

/// Reads JSON of other systems: unknown fields are passed over, and names may be written like `upload_time` or `uploadTime`.
enum ForeignJSON {
    static func read<Value: Decodable>(
        _ type: Value.Type, from list: ExportFile, in folder: ExportFolder
    ) throws(ImportError) -> Value {
        let bytes = try folder.bytes(of: list)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            return try decoder.decode(type, from: Data(bytes))
        } catch let error as DecodingError {
            throw .invalidList(list.path, place: place(of: error), reason: reason(of: error))
        } catch {
            throw .invalidList(list.path, place: nil, reason: "it is not JSON")
        }
    }

    private static func context(of error: DecodingError) -> DecodingError.Context? {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }

    /// Such as `entry 3, uploadTime`; nil for the document.
    private static func place(of error: DecodingError) -> String? {
        let words = (context(of: error)?.codingPath ?? []).map { key in
            key.intValue.map { "entry \($0 + 1)" } ?? key.stringValue
        }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    private static func reason(of error: DecodingError) -> String {
        switch error {
        case .typeMismatch(let type, _): "it is not \(word(type))"
        case .valueNotFound(let type, _): "it is null, and must be \(word(type))"
        case .keyNotFound(let key, _): "the field \"\(key.stringValue)\" is missing"
        case .dataCorrupted(let context) where !context.codingPath.isEmpty: context.debugDescription
        default: "it is not JSON"
        }
    }

    private static func word(_ type: Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        case is Double.Type, is Int.Type: "a number"
        case is [Any].Type: "a list"
        default: "an object"
        }
    }
}
