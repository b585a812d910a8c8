import Foundation
import PackFormat
import PackJSON

/// The values of a first configuration, taken from the project's own files, so that the next step works.
struct ProjectValues {
    let package: PackageID
    /// Nil if `package.json` has none that can be used.
    let version: SemanticVersion?
    /// The folder that the web build writes, or will write.
    let dist: String
    /// Whether the folder is a project that makes, or has, a web build: it gets no starter site.
    let hasWebBuild: Bool
    /// What could not be taken as it is.
    let notes: [String]
    /// Where the registry is, as the configuration says it; nil: in the project's own folder.
    let registry: String?
    /// The bucket of the registry's files; nil: they are in no bucket.
    let storage: String?

    /// - Parameters:
    ///   - id: the package's id as the user said it; else `package.json` and the folder tell it.
    ///   - options: the registry's place, if the command has one. The environment's is not written into a file.
    init(of folder: URL, id: PackageID? = nil, _ options: RegistryOptions) throws {
        registry = options.registry.map { Self.place($0, from: folder) }
        storage = options.storage
        let data = try? Data(contentsOf: folder.appending(path: "package.json"))
        let json = data.flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }
        let names = [json?["name"] as? String, folder.lastPathComponent, "site"].compactMap { $0 }
        package = try id ?? names.lazy.compactMap(Self.id).first ?? PackageID("site")
        let text = json?["version"] as? String
        version = text.flatMap { try? SemanticVersion($0) }
        let build = WebBuildFolder(of: folder, packageJSON: json)
        dist = build.path ?? "dist"
        let isStarted = FileManager.default.fileExists(atPath: folder.appending(path: "packtool.json").path)
        let isSite = FileManager.default.fileExists(atPath: folder.appending(path: "index.html").path)
        hasWebBuild = build.isBuilt || json != nil || isStarted || isSite
        var notes: [String] = []
        if let text, version == nil {
            notes.append(
                "package.json's version \(JSONValue.string(text).compactText) is no semantic version such as 1.0.0, so packtool.json has "
                    + "one of its own, which counts")
        }
        if isSite, json == nil, build.path == nil {
            notes.append(
                "index.html is in this folder itself, and a package is made of a folder that holds nothing else: move the site into "
                    + "dist/, or name its folder as \"dist\" in packtool.json")
        }
        self.notes = notes
    }

    /// A template's file with the values in their places.
    func filling(_ file: Template.File) -> Template.File {
        let line = version.map { "// \"version\": \"\($0)\"," } ?? "\"version\": \"1.0.0\","
        let text = file.text.replacingOccurrences(of: "{{package}}", with: package.text)
            .replacingOccurrences(of: "{{version}}", with: line).replacingOccurrences(of: "{{dist}}", with: dist)
            .replacingOccurrences(of: "\"registry\": \".packtool/registry\"", with: place)
        return Template.File(path: file.path, text: text)
    }

    /// The lines of the configuration that say where `packtool publish` goes.
    private var place: String {
        let fields = [("registry", registry ?? ".packtool/registry"), ("storage", storage)].compactMap { name, value in
            value.map { "\"\(name)\": \(JSONValue.string($0).compactText)" }
        }
        return fields.joined(separator: ",\n  ")
    }

    /// A registry as a configuration in a folder says it: a path that was relative to the working folder is relative to the
    /// configuration's then.
    static func place(_ text: String, from folder: URL) -> String {
        guard !text.contains("://"), !text.hasPrefix("/") else { return text }
        let target = URL(filePath: text).standardizedFileURL.pathComponents
        let base = folder.standardizedFileURL.pathComponents
        let shared = zip(target, base).prefix { $0 == $1 }.count
        let steps = Array(repeating: "..", count: base.count - shared) + target.dropFirst(shared)
        return steps.isEmpty ? "." : steps.joined(separator: "/")
    }

    /// `mlflow-ui` for `@acme/mlflow_ui`; nil if nothing is left of a name.
    private static func id(of name: String) -> PackageID? {
        let plain = name.hasPrefix("@") ? String(name.drop { $0 != "/" }.dropFirst()) : name
        let words = plain.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let text = words.joined(separator: "-").prefix(63)
        return try? PackageID(String(text.last == "-" ? text.dropLast() : text))
    }
}
