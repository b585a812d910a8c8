import PackFormat

/// An export without a list: the zips' names say their versions, and the folders that they are in, their channels.
///
///     stable/1.2.3.zip        1.2.3 on stable
///     1.2.3.zip               1.2.3, on the channel that the command names
///     Production/v12.zip      of CodePush: 0.0.12-production
struct NamedZips {
    private let system: ExportSystem

    init(_ system: ExportSystem) {
        self.system = system
    }

    /// In the order of the versions.
    func export(in folder: ExportFolder) throws(ImportError) -> Export {
        var export = Export()
        for file in folder.zips { export.releases.append(try release(file)) }
        export.releases.sort { ($0.version, $0.file.path) < ($1.version, $1.file.path) }
        return export
    }

    private func release(_ file: ExportFile) throws(ImportError) -> ExportedRelease {
        let deployment = file.folder
        if system == .codepush, let number = CodePushHistory.number(file.stem) {
            guard !deployment.isEmpty else {
                throw .invalidList(
                    file.path, place: nil,
                    reason: "a label belongs to a deployment: put the zip into a folder that is named by it, such as "
                        + "Production/\(file.stem).zip, or the saved history beside it")
            }
            var release = ExportedRelease(
                file: file, version: try CodePushHistory.version(number, of: deployment, place: file.path))
            release.channel = deployment
            release.origin = "CodePush \(deployment) \(file.stem)"
            return release
        }
        let name = file.stem.hasPrefix("v") ? String(file.stem.dropFirst()) : file.stem
        guard let version = try? SemanticVersion(name) else { throw .noVersion(name: file.stem, place: file.path) }
        var release = ExportedRelease(file: file, version: version)
        release.channel = deployment.isEmpty ? nil : deployment
        if system != .zips { release.origin = system.name }
        return release
    }
}
