package import PackFormat

/// Which releases of a history lead back, and over what.
extension ReleaseHistory {
    /// Who rolled back an offer, if its last release here was rolled back: a CI job that runs again must not silently
    /// undo what somebody did in an emergency. Nil for an offer that was never here, is offered, or was withdrawn.
    package func rollback(over offer: Release.Offer) -> Rollback? {
        guard offered.first?.offer != offer, let last = entries.lastIndex(where: { $0.release.offer == offer }) else {
            return nil
        }
        let way: Entry?
        if let removed = entries[last].removed {
            // The way back was made in the step that removed what it leads over.
            way = entries.last { $0.created == removed }
        } else {
            // A program of before removed the newest only on the way back to what the app embeds.
            way = entries[last...].last { !$0.isRemoved && $0.release.offer == .embedded }
        }
        return way.map { Rollback(by: $0.createdBy, at: $0.created, to: $0.release.offer) }
    }

    /// The newest release and the one that it leads back over; nil if the newest is no way back.
    package var wayBack: (left: Entry, way: Entry)? { wayBack { _ in true } }

    /// The same over a release of some kind.
    func wayBack(over isMeant: (Release) -> Bool) -> (left: Entry, way: Entry)? {
        guard let newest = current, let way = entries.last(where: { $0.release.id == newest.id }) else { return nil }
        // The way back is made in the step that removes what it leads over. What was hidden then nobody left.
        var before = entries.filter { $0.release.id != way.release.id }
        for index in before.indices where before[index].removed == way.created { before[index].removed = nil }
        let shown = Set(ReleaseHistory(entries: before).offered.map(\.id))
        let left = entries.last {
            $0.removed == way.created && shown.contains($0.release.id) && isMeant($0.release)
        }
        return left.map { ($0, way) }
    }
}
