package import PackFormat
package import PackRegistryAPI

extension RemoteRegistry: RegistryPreviewing {
    package func preview(
        _ change: ChannelChange, of package: PackageID, on channel: ChannelName, assuming versions: [AssumedVersion],
        counting counts: Bool
    ) async throws -> ChannelOutcome {
        try await asking {
            try await call(
                Endpoints.previewChange, ChangePreview(change, assuming: versions),
                path: ["channel": channel.text, "package": package.text])
        }
    }

    package func preview(
        _ set: ReleaseSet, on channel: ChannelName, assuming versions: [AssumedVersion], counting counts: Bool
    ) async throws -> ReleaseSetOutcome {
        try await asking {
            try await call(
                Endpoints.previewSet, SetPreview(set, assuming: versions), path: ["channel": channel.text])
        }
    }

    package func previewWithdrawal(
        of version: SemanticVersion, of package: PackageID, reason: String
    ) async throws -> [ChannelName: ChannelOutcome] {
        try await asking {
            try await call(
                Endpoints.previewWithdrawal, reason,
                path: ["package": package.text, "version": version.description])
        }
    }

    /// An older registry has nothing at the paths of previews.
    private func asking<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
        do { return try await body() } catch let error as RegistryError
            where error.isUnknownPath
        {
            throw PreviewsUnknown(base: base)
        }
    }
}

extension RegistryError {
    /// Whether the registry, which is of an older packtool, has nothing at the path. What is not found for any other reason,
    /// such as a package, has words of its own.
    var isUnknownPath: Bool {
        kind == .notFound && (message == "there is nothing at this path" || message.contains(" answered 404"))
    }
}

/// The registry is of a packtool that cannot say what a change would do. The change itself can be made.
package struct PreviewsUnknown: Error, CustomStringConvertible {
    package let base: String

    package var description: String {
        "the registry at \(base) is of an older packtool, which cannot say what this would do; nothing was done"
    }
}
