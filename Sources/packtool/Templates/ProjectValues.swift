import Foundation
import PackFormat

/// The values of a first configuration, taken from the project's own files, so that the next step works.
struct ProjectValues {
    let package: PackageID
    /// Nil if `package.json` has none that can be used.
    let version: SemanticVersion?
    /// The folder that the web build writes, or will write.
    let dist: String
    /// Whether the folder is a project that makes, or has, a web build: it gets no starter site.
    let hasWebBuild: Bool

    /// - Parameter id: the package's id as the user said it; else `package.json` and the folder tell it.
    init(of folder: URL, id: PackageID? = nil) throws {
        let data = try? Data(contentsOf: folder.appending(path: "package.json"))
        let json = data.flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }
        let names = [json?["name"] as? String, folder.lastPathComponent, "site"].compactMap { $0 }
        package = try id ?? names.lazy.compactMap(Self.id).first ?? PackageID("site")
        version = (json?["version"] as? String).flatMap { try? SemanticVersion($0) }
        let build = WebBuildFolder(of: folder, packageJSON: json)
        dist = build.path ?? "dist"
        let isStarted = FileManager.default.fileExists(atPath: folder.appending(path: "packtool.json").path)
        hasWebBuild = build.isBuilt || json != nil || isStarted
    }

    /// A template's file with the values in their places.
    func filling(_ file: Template.File) -> Template.File {
        let line = version.map { "// \"version\": \"\($0)\"," } ?? "\"version\": \"1.0.0\","
        let text = file.text.replacingOccurrences(of: "{{package}}", with: package.text)
            .replacingOccurrences(of: "{{version}}", with: line).replacingOccurrences(of: "{{dist}}", with: dist)
        return Template.File(path: file.path, text: text)
    }

    /// `mlflow-ui` for `@acme/mlflow_ui`; nil if nothing is left of a name.
    private static func id(of name: String) -> PackageID? {
        let plain = name.hasPrefix("@") ? String(name.drop { $0 != "/" }.dropFirst()) : name
        let words = plain.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let text = words.joined(separator: "-").prefix(63)
        return try? PackageID(String(text.last == "-" ? text.dropLast() : text))
    }
}
