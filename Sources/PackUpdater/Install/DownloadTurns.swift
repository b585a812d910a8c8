import PackFormat

/// Downloads each object once at a time, because two downloads that write to one part file would damage both. A
/// caller that has waited finds the object in the store, or tries by itself.
actor DownloadTurns {
    private var waiting: [Digest: [CheckedContinuation<Void, Never>]] = [:]

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
