import Foundation
import PackFormat
import PackJSON
import PackRegistry
import PackRegistryAPI

extension ReleaseTable {
    /// The histories of a channel as they were at a moment, from the events of releases.
    func histories(on channel: ChannelName, at time: Date) throws -> [PackageID: ReleaseHistory] {
        let states = try states(on: channel, at: time)
        return try histories(on: channel).compactMapValues { history in
            let entries = try history.entries.compactMap { entry -> ReleaseHistory.Entry? in
                guard let state = states[entry.release.id] else { return nil }
                var entry = entry
                let release = entry.release
                entry.release = try release.with(rollout: state.rollout, policy: state.policy, retry: state.retry)
                entry.removed = state.removed
                return entry
            }
            return entries.isEmpty ? nil : ReleaseHistory(entries: entries)
        }
    }

    private struct State {
        var rollout = Rollout.everyone
        var policy = ClientPolicy.standard
        var retry = 0
        var removed: Date?
    }

    /// What each release said at a moment; those that were not there yet are left out.
    private func states(on channel: ChannelName, at time: Date) throws -> [String: State] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT releaseEvent.release, releaseEvent.time, releaseEvent.kind, releaseEvent.content
                FROM releaseEvent
                JOIN release ON release.id = releaseEvent.release
                WHERE release.channel = ? AND releaseEvent.time <= ?
                    AND releaseEvent.kind IN ('add', 'update', 'remove')
                ORDER BY releaseEvent.sequence
                """,
            arguments: [channel.text, time])
        var states: [String: State] = [:]
        for row in rows {
            let id = try row.text("release")
            if try row.text("kind") == ReleaseEventTable.Kind.remove.rawValue {
                states[id]?.removed = try row.date("time")
                continue
            }
            let content = try row.parsed("content") { try JSONValue(parsing: Array($0.utf8)).object("content") }
            var state = states[id] ?? State()
            do {
                state.rollout = Rollout(
                    share: try content.share() ?? .whole,
                    audiences: try content["audiences"].map { try [Audience](json: $0) } ?? [])
                state.policy = try content["policy"].map(Self.policy) ?? .standard
                state.retry = try content["retry"]?.integer("retry") ?? 0
            } catch {
                throw Row.damaged("content", error)
            }
            states[id] = state
        }
        return states
    }
}
