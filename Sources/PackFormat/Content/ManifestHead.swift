import PackJSON

/// A manifest without its list of files: what is left to tell where the files are known by other means.
package struct ManifestHead: Sendable {
    /// Canonical JSON.
    package let bytes: [UInt8]
    /// The shared bundles that the manifest pins, in order.
    package let pins: [PackageID]
    /// As ``Manifest/requiredApp``.
    package let requiredApp: VersionRange?
    private let json: JSONObject

    /// The head of a manifest, or one that was taken from a manifest before. Its other fields are judged with the whole.
    /// - Throws: ``FormatError/invalidDocument(_:reason:)``
    package init(parsing bytes: some Collection<UInt8>) throws(FormatError) {
        do {
            var json = try JSONValue(parsing: Array(bytes)).object("manifest")
            json["files"] = nil
            self.json = json
            self.bytes = JSONValue.object(json).canonicalBytes
            pins = try (json["shared"]?.object("shared").members ?? []).map { try PackageID($0.key) }
            requiredApp = try json["requires"]?.object("requires")["app"].map { try VersionRange($0.string("app")) }
        } catch let error as FormatError {
            throw error
        } catch {
            throw .invalidDocument("the manifest", reason: "\(error)")
        }
    }

    /// The manifest with these files, as ``Manifest/bytes``.
    /// - Parameter files: In any order; sorted ones take less time.
    package func manifestBytes(with files: [(path: PackagePath, file: Manifest.File)]) -> [UInt8] {
        var json = json
        json["files"] = .object(JSONObject(files.map { ($0.path.text, $0.file.json) }))
        return JSONValue.object(json).canonicalBytes
    }
}
