package import Foundation
package import PackFormat

/// What steps of releases do to the devices of a channel, in words: which releases they leave, and what they go to.
package struct ReleaseMoves: Sendable {
    private struct Move {
        let package: PackageID
        /// The release that was the newest.
        let from: Release?
        /// The release that is the newest then.
        let to: Release?
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
            return Move(
                package: package, from: history.offered.first,
                to: history.applying(steps, by: actor, now: now).offered.first)
        }
    }

    /// What devices get of a release: its version, or what the app embeds.
    package static func destination(_ release: Release) -> String {
        release.version?.description ?? "what the app embeds"
    }

    /// Such as `shop 1.1.0`, or `admin 1.1.0 and shop 1.1.0, which are one set,`.
    var leaving: String {
        let names = moves.map { move in
            "\(move.package)\(move.from.map { " \(ReleaseHistory.name($0.offer))" } ?? "")"
        }
        return names.count > 1 ? "\(Self.list(names)), which are one set," : names.first ?? ""
    }

    /// Such as `go to 1.0.0`, or `go back: admin to 1.0.0, and shop to what the app embeds`.
    var destinations: String {
        let places = moves.map { move in (move.package, move.to.map(Self.destination) ?? "nothing") }
        guard places.count > 1 else { return "go to \(places.first?.1 ?? "nothing")" }
        return "go back: " + Self.list(places.map { "\($0) to \($1)" })
    }

    /// Such as `a, b and c`.
    static func list(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return names.dropLast().joined(separator: ", ") + " and " + last
    }
}
