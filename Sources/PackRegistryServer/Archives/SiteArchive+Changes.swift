import PackArchive
import PackFormat
import PackJSON

extension SiteArchive {
    /// What clients of CodePush read beside the files of a zip that has only changes: the paths that are gone.
    static func changes(removed: [String]) throws -> ContentRequest {
        let document: JSONObject = ["deletedFiles": .array(removed.map { .string($0) })]
        return ContentRequest(
            .bytes(Array(JSONValue.object(document).compactText.utf8)), path: try PackagePath("hotcodepush.json"))
    }
}
