package import Foundation
package import PackFormat

/// What steps of releases do to the devices of a channel, in words: which releases they leave, and what they go to.
package struct ReleaseMoves: Sendable {
    private struct Move {
        let package: PackageID
        /// The version that is left: that of the set, if the package has one of it, else the newest.
        let from: String?
        /// The release that is the newest then.
        let to: Release?
        /// Whether that is the newest already: what is taken back lies beneath it.
        let isKept: Bool
        /// The sets of which releases are taken back.
        let sets: Set<String>
    }

    private let moves: [Move]

    /// - Parameters:
    ///   - before: the histories of the packages.
    ///   - steps: of each package that changes.
    package init(
        before: [PackageID: ReleaseHistory], steps: [PackageID: [ReleaseHistory.Step]],
        by actor: String, now: Date
    ) {
        moves = steps.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map { package, steps in
            let history = before[package] ?? ReleaseHistory()
            let (old, new) = (history.offered.first, history.applying(steps, by: actor, now: now).offered.first)
            return Move(
                package: package, from: Self.left(by: steps, in: history), to: new,
                isKept: old != nil && old?.id == new?.id, sets: history.sets(removedBy: steps))
        }
    }

    /// Such as `1.1.0`, or `1.1.0 with the newer 1.2.0` where a newer release is taken back as well.
    private static func left(by steps: [ReleaseHistory.Step], in history: ReleaseHistory) -> String? {
        guard let newest = history.current else { return nil }
        guard let ofSet = history.ofSet(removedBy: steps), ofSet.offer != newest.offer else {
            return ReleaseHistory.name(newest.offer)
        }
        let name = ReleaseHistory.name(ofSet.offer)
        return ReleaseHistory.removed(by: steps).contains(newest.id)
            ? "\(name) with the newer \(ReleaseHistory.name(newest.offer))" : name
    }

    /// What devices get of a release: its version, or what the app embeds.
    package static func destination(_ release: Release) -> String {
        release.version?.description ?? "what the app embeds"
    }

    /// Where devices go that leave a release: each to the newest one beneath it that admits it.
    /// - Parameter releases: what lies beneath, newest first.
    /// - Returns: such as `1.0.0`, or `the newest release that admits them: 1.1.0 (30 %), 1.0.0`; nil for none.
    static func place(_ releases: [Release]) -> String? {
        guard let first = releases.first else { return nil }
        guard !first.rollout.reachesEveryone else { return destination(first) }
        return "the newest release that admits them: \(ReleaseHistory.list(releases))"
            + (releases.contains(where: \.rollout.reachesEveryone)
                ? "" : " (those that none admits keep the version that they run)")
    }

    /// Such as `shop 1.1.0`, or `admin 1.1.0 and shop 1.1.0, which are one set,`; of several sets that share packages,
    /// `which are in sets together,`.
    var leaving: String {
        let names = gone.map { move in "\(move.package)\(move.from.map { " \($0)" } ?? "")" }
        guard names.count > 1 else { return names.first ?? "" }
        let isOne = !gone.dropFirst().reduce(gone[0].sets) { $0.intersection($1.sets) }.isEmpty
        return "\(Self.list(names)), which are \(isOne ? "one set" : "in sets together"),"
    }

    /// Such as `go to 1.0.0`, or `go back: admin to 1.0.0, and shop to what the app embeds`; then which packages keep a newer
    /// release than that of their set.
    var destinations: String {
        let places = gone.map { move in (move.package, move.to.map(Self.destination) ?? "nothing") }
        let way =
            places.count > 1
            ? "go back: " + Self.list(places.map { "\($0) to \($1)" }) : "go to \(places.first?.1 ?? "nothing")"
        return ([way] + moves.filter(\.isKept).map(Self.kept)).joined(separator: "; ")
    }

    private var gone: [Move] { moves.filter { !$0.isKept } }

    /// Such as `shop keeps 1.3.0, which is newer than the set: its 1.1.0 of the set is taken back beneath it`.
    private static func kept(_ move: Move) -> String {
        "\(move.package) keeps \(move.to.map(destination) ?? "nothing"), which is newer than the set"
            + (move.from.map { ": its \($0) of the set is taken back beneath it" } ?? "")
    }

    /// Such as `a, b and c`.
    static func list(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return names.dropLast().joined(separator: ", ") + " and " + last
    }
}
