import PackFormat
import PackJSON

extension JSONObject {
    /// The field `audiences` of a request; nil if it is not there.
    ///
    /// A device reads a condition of a newer packtool as one that it does not meet. A registry refuses it: it cannot say which
    /// devices the release is for, and whoever misspelt a condition would reach nobody.
    /// - Throws: ``JSONError`` with the place of the condition.
    func audiences() throws -> [Audience]? {
        guard let value = self["audiences"] else { return nil }
        let audiences = try [Audience](json: value)
        for (index, audience) in audiences.enumerated() {
            for (place, condition) in audience.conditions.enumerated() {
                guard case .unknown = condition else { continue }
                throw JSONError.unexpected(
                    field: "audiences[\(index)][\(place)]", wanted: "a condition that this registry knows",
                    found: JSONValue.object(condition.json).compactText)
            }
        }
        return audiences
    }
}
