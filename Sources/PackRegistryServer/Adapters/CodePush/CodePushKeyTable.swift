package import PackFormat
import PackJSON

/// The deployment keys that apps have built in from their time with another server.
///
///     { "dk_a1b2": "checkout/stable/www", "dk_c3d4": "checkout/beta/public" }
package struct CodePushKeyTable: Sendable {
    /// Bytes of the file.
    package static let maximumByteCount = 1 << 20

    private let keys: [String: CodePushKey]

    package static let empty = CodePushKeyTable(keys: [:])

    private init(keys: [String: CodePushKey]) {
        self.keys = keys
    }

    /// - Throws: ``FormatError/invalidDocument(_:reason:)`` with the key that stands for nothing.
    package init(parsing text: [UInt8]) throws(FormatError) {
        let object: JSONObject
        do {
            object = try JSONValue(parsing: text, options: .init(allowsComments: true)).object("the table")
        } catch {
            throw .invalidDocument("the table of deployment keys", reason: "\(error)")
        }
        var keys: [String: CodePushKey] = [:]
        for member in object.members {
            guard case .string(let text) = member.value, let key = CodePushKey(text) else {
                throw .invalidDocument(
                    "the table of deployment keys",
                    reason: "\"\(member.key)\" must be PACKAGE/CHANNEL or PACKAGE/CHANNEL/FOLDER, and the folder www, "
                        + "public or CodePush")
            }
            keys[member.key] = key
        }
        self.init(keys: keys)
    }

    /// What a key stands for: by the table, or by itself.
    func key(_ text: String) -> CodePushKey? { keys[text] ?? CodePushKey(text) }
}
