import PackFormat

extension PackageState {
    /// Makes a version whose files are in the store the next one to run.
    /// - Returns: false if it runs already; what was staged before is dropped then.
    @discardableResult
    package mutating func stage(_ installed: Installed) -> Bool {
        if let active, active.id == installed.id {
            staged = nil
            return false
        }
        staged = .version(installed)
        return true
    }

    /// Makes the embedded version the next one to run. If the app embeds none, the confirmed version stays or comes
    /// back: only the registry's key signs the channel, and it must not take a working version from a device.
    /// - Parameter isWithdrawn: the publisher took the active version back, and so it goes even then.
    /// - Returns: false if that is so already.
    @discardableResult
    package mutating func stageEmbedded(release: ReleaseMark, isWithdrawn: Bool = false) -> Bool {
        if let embedded {
            return stage(Installed(id: embedded.id, release: release, hasPages: embedded.hasPages))
        }
        if let working = lastWorking, let active, !(isWithdrawn && working.id == active.id) { return stage(working) }
        if isWithdrawn, let previous, previous.id != active?.id { return stage(previous) }
        staged = active == nil ? nil : .nothing(release)
        return staged != nil
    }

    /// Records the version that the app embeds, and stages it unless a version that is at least as new is here.
    /// - Returns: whether it is staged.
    @discardableResult
    package mutating func embed(_ installed: Installed) -> Bool {
        embedded = installed
        if failures.contains(where: { $0.id == installed.id }) { return false }
        let newest = [active?.id, stagedVersion].compactMap { $0?.version }.max()
        if let newest, !(newest < installed.id.version) { return false }
        return stage(installed)
    }

    private var stagedVersion: VersionID? {
        if case .version(let installed) = staged { installed.id } else { nil }
    }

    /// Switches to the staged version. A version that was confirmed here before is still confirmed.
    /// - Returns: The version that was left and the one that is active now; nil if nothing was staged.
    package mutating func activate() -> (from: Installed?, to: Installed?)? {
        guard let staged else { return nil }
        let left = active?.installed
        let working = lastWorking
        self.staged = nil
        switch staged {
        case .nothing:
            active = nil
            previous = working
            unproven = nil
            return (left, nil)
        case .version(let installed):
            let isConfirmed = installed.id == working?.id || installed.id == previous?.id || !installed.hasPages
            active = Active(installed: installed, isConfirmed: isConfirmed)
            if working?.id != installed.id {
                previous = working
            } else if previous?.id == installed.id {
                previous = nil
            }
            let hasBetter = isConfirmed || previous != nil || embedded != nil
            unproven = hasBetter ? nil : unproven(besides: installed, left: left)
            return (left, installed)
        }
    }

    /// The version that ran last where none was confirmed: the one that is left, else the one before it.
    private func unproven(besides installed: Installed, left: Installed?) -> Installed? {
        [left, unproven].lazy.compactMap(\.self).first { candidate in
            candidate.id != installed.id && !failures.contains { $0.id == candidate.id }
        }
    }

    /// Makes a version active that was installed while its pages were on view, because no version was active.
    /// - Parameters:
    ///   - loads: the tokens of those pages, which are its first start; none if it was in frames only, which is no start.
    ///   - isConfirmed: whether one of them said already that it works.
    ///   - now: milliseconds since 1970.
    /// - Returns: False if another version is active by now, or this one has failed here meanwhile.
    package mutating func arrive(_ installed: Installed, loads: [String], isConfirmed: Bool, now: Int = 0) -> Bool {
        if active == nil {
            guard !failures.contains(where: { $0.id == installed.id && $0.release == installed.release }) else {
                return false
            }
            // What an update staged meanwhile may be a part of a set.
            if case .version(let other) = staged, other.id != installed.id { return false }
            stage(installed)
            _ = activate()
        }
        guard var active, active.id == installed.id else { return false }
        guard !active.isConfirmed, !loads.isEmpty else { return true }
        active.starts = max(1, active.starts)
        active.unconfirmedSince = active.unconfirmedSince ?? now
        active.loads = Array((active.loads + loads).suffix(Self.loadLimit))
        self.active = active
        if isConfirmed, let token = active.loads.last { _ = confirm(installed.id.version, token: token) }
        return true
    }
}
