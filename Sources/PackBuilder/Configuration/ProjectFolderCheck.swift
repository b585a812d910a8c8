import Foundation

/// Tells a web build from the project that it is built from: `packtool build .` must not ship the sources.
enum ProjectFolderCheck {
    /// - Throws: ``BuildError/isProject(_:because:hint:)``
    static func refuse(_ folder: URL) throws(BuildError) {
        func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: folder.appending(path: name).path) }
        let sign =
            if has(".packtool") { ".packtool" } else if has("package.json") {
                ["node_modules", "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "src"].first(where: has)
            } else { String?.none }
        guard let sign else { return }
        // Beside a package.json, `public` is a source of most bundlers.
        let known = ["dist", "build", "out", "_site", "www"] + (has("package.json") ? [] : ["public"])
        let built = known.first { has("\($0)/index.html") }
        throw BuildError.isProject(folder.relativePath, because: sign, hint: built)
    }
}
