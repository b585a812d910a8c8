package import PackFormat
import PackRegistryAPI

/// Refuses an audience of a group that its channel does not have: such a release would be for nobody, and a misspelt name
/// must not go out.
package enum GroupCheck {
    /// - Parameter known: the names of the channel's groups.
    package static func require(
        _ audiences: [Audience], known: some Sequence<String>, on channel: ChannelName
    ) throws {
        let known = Set(known)
        for case .group(let names) in audiences.flatMap(\.conditions) {
            guard let unknown = names.first(where: { !known.contains($0) }) else { continue }
            throw RegistryError(
                .notFound,
                "\(channel) has no group \"\(unknown)\" (it has: \(RegistryError.list(known.sorted()))): make it first "
                    + "(packtool group set \(unknown) --channel \(channel) --file IDS)")
        }
    }
}
