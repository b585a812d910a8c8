import PackFormat

/// One download of an object at a time: two that write to one part file would damage both. Who waited finds the object
/// in the store, or tries for itself.
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
