import PackFormat
import PackRegistryAPI

extension VerbDesk {
    func withdraw(
        _ verb: DashboardVerb, _ package: PackageID, _ version: SemanticVersion
    ) async throws -> VerbPreview {
        let overview = try await registry.overview(of: [package])
        guard let published = overview.versions[package]?.first(where: { $0.version == version }) else {
            throw DashboardFault(.notFound, "\(package) \(version) is not published.")
        }
        var effects = [
            "No device installs \(package) \(version) again, whatever a channel offers. This is for good: the number is not used again."
        ]
        if let reason = published.withdrawn { effects = ["It is withdrawn already: \(reason)"] }
        let offers = overview.channels.sorted { $0.key < $1.key }
        for (channel, packages) in offers {
            let releases = packages[package] ?? []
            guard let index = releases.firstIndex(where: { $0.version == version }) else { continue }
            let left =
                releases.dropFirst(index + 1).first { $0.version != version } ?? overview.earlier[channel]?[package]
            effects.append(
                "\(channel) offers it to \(releases[index].rollout.devicesText); they go to "
                    + (left.map { ReleaseWords.version($0) } ?? "what the app embeds") + ".")
            let facts = try await facts(package, channel)
            if let reported = facts.reported(version) { effects.append("\(channel): \(reported)") }
        }
        if !offers.contains(where: { $0.value[package]?.contains { $0.version == version } ?? false }) {
            effects.append("No channel offers it.")
        }
        if published.withdrawn == nil {
            effects.append(
                "Only the publisher's key can sign it, and no server has that key: somebody who has it runs this command. To stop "
                    + "it at once, roll the channels back.")
        }
        return VerbPreview(
            verb: verb, title: "Withdraw \(package) \(version)", effects: effects, state: "", isPossible: false,
            command: published.withdrawn == nil
                ? "packtool withdraw \(package)@\(version) --reason \"…\"" : nil)
    }

    func revokeToken(_ verb: DashboardVerb, _ id: String) async throws -> VerbPreview {
        guard let token = try await registry.tokens().first(where: { $0.id == id }) else {
            throw DashboardFault(.notFound, "There is no token \(id.prefix(80)).")
        }
        let rights = token.scope.actions.map(\.rawValue).sorted().joined(separator: ", ")
        return VerbPreview(
            verb: verb, title: "Revoke the token \(token.name)",
            effects: [
                "Its holder may do nothing from the next request on. It allows: \(rights).",
                token.revoked == nil
                    ? "Its id is \(token.id); it was made \(Words.date(token.created))."
                    : "It is revoked already.",
            ], state: "\(token.id) \(token.revoked == nil)", isPossible: token.revoked == nil, isGrave: true)
    }
}
