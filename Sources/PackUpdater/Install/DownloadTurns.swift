import PackFormat

/// Lets one download at a time write to a part file, because two would damage it. A caller that has waited finds in the store
/// what the other brought, or downloads it itself.
actor DownloadTurns {
    private var waiting: [Digest: [CheckedContinuation<Void, Never>]] = [:]

    /// Runs `work` while no other caller runs for the same digest.
    nonisolated func during<Result>(_ digest: Digest, _ work: () async throws -> Result) async throws -> Result {
        await take(digest)
        do {
            let result = try await work()
            await end(digest)
            return result
        } catch {
            await end(digest)
            throw error
        }
    }

    func take(_ digest: Digest) async {
        guard waiting[digest] != nil else {
            waiting[digest] = []
            return
        }
        await withCheckedContinuation { waiting[digest, default: []].append($0) }
    }

    func end(_ digest: Digest) {
        guard var line = waiting[digest], !line.isEmpty else {
            waiting[digest] = nil
            return
        }
        let next = line.removeFirst()
        waiting[digest] = line
        next.resume()
    }
}
