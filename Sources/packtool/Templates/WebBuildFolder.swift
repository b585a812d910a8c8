import Foundation

/// Where a project's web build writes, by what is there and what its tools' configuration says.
///
/// A folder that a tool names and that has an entry page counts first, then any known folder that has one, then what a tool names.
struct WebBuildFolder {
    /// The path below the project; nil where nothing tells it.
    let path: String?
    /// Whether it has an `index.html`, or at least another page: nothing of ours is put beside that.
    let isBuilt: Bool

    /// The folders of tools that say nothing in a file that can be read here, by the dependency in `package.json`.
    private static let tools: [(dependency: String, folder: String)] = [
        ("next", "out"), ("react-scripts", "build"), ("@sveltejs/kit", "build"), ("@docusaurus/core", "build"),
        ("gatsby", "public"), ("@11ty/eleventy", "_site"), ("nuxt", ".output/public"), ("@stencil/core", "www"),
        ("astro", "dist"), ("vite", "dist"), ("@vue/cli-service", "dist"), ("parcel", "dist"), ("webpack", "dist"),
    ]

    /// - Parameter packageJSON: the object of the project's `package.json`.
    init(of project: URL, packageJSON: [String: Any]?) {
        let dependencies = ["dependencies", "devDependencies"].flatMap { field in
            (packageJSON?[field] as? [String: Any])?.keys.map { $0 } ?? []
        }
        let tool = Self.tools.first { dependencies.contains($0.dependency) }?.folder
        let named = [Self.capacitor(project), Self.angular(project), Self.vite(project), tool].compactMap { $0 }
        var known = ["dist", "build", "out", "www", "_site", ".output/public"] + Self.nested(project)
        // Most bundlers take `public` as a source, with an index.html that is none of theirs yet. Where there is no package.json,
        // there is no bundler, and it is the site.
        if packageJSON == nil, named.isEmpty { known.append("public") }
        let built =
            (named + known).first { Self.hasEntry(project, $0) } ?? (named + known).first { Self.hasPage(project, $0) }
        path = built ?? named.first
        isBuilt = built != nil
    }

    private static func hasEntry(_ project: URL, _ path: String) -> Bool {
        FileManager.default.fileExists(atPath: project.appending(path: "\(path)/index.html").path)
    }

    private static func hasPage(_ project: URL, _ path: String) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: project.appending(path: path).path)) ?? []
        return names.contains { $0.hasSuffix(".html") }
    }

    /// `dist/shop` and `dist/shop/browser`, as Angular has them.
    private static func nested(_ project: URL) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: project.appending(path: "dist").path)) ?? []
        return names.sorted().flatMap { ["dist/\($0)/browser", "dist/\($0)"] }
    }

    private static func capacitor(_ project: URL) -> String? {
        (json(project, "capacitor.config.json")?["webDir"] as? String).flatMap(inside)
    }

    private static func angular(_ project: URL) -> String? {
        guard let projects = json(project, "angular.json")?["projects"] as? [String: Any], projects.count == 1,
            let only = projects.values.first as? [String: Any],
            let architect = (only["architect"] ?? only["targets"]) as? [String: Any],
            let build = architect["build"] as? [String: Any]
        else { return nil }
        let output = (build["options"] as? [String: Any])?["outputPath"]
        if let parts = output as? [String: Any] {
            guard let base = parts["base"] as? String else { return nil }
            return inside("\(base)/\(parts["browser"] as? String ?? "browser")")
        }
        let isApplication = (build["builder"] as? String)?.hasSuffix(":application") == true
        // A new workspace of Angular 17 and later says nothing: dist/NAME/browser.
        let base = output as? String ?? projects.keys.first.map { "dist/\($0)" }
        return base.flatMap { inside(isApplication ? "\($0)/browser" : $0) }
    }

    private static func vite(_ project: URL) -> String? {
        for ending in ["js", "ts", "mjs", "mts"] {
            let file = project.appending(path: "vite.config.\(ending)")
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
            if let match = text.firstMatch(of: /\boutDir\s*:\s*["']([^"'\n]+)["']/) {
                return inside(String(match.output.1))
            }
        }
        return nil
    }

    private static func json(_ project: URL, _ name: String) -> [String: Any]? {
        guard let data = try? Data(contentsOf: project.appending(path: name)) else { return nil }
        return try? JSONSerialization.jsonObject(with: data) as? [String: Any]
    }

    /// The path without `./` and the last `/`; nil where it leads out of the project.
    private static func inside(_ path: String) -> String? {
        let parts = path.split(separator: "/").filter { $0 != "." }
        guard !path.hasPrefix("/"), !parts.isEmpty, !parts.contains("..") else { return nil }
        return parts.joined(separator: "/")
    }
}
