package import PackFormat

/// Which channel each channel or deployment of another system becomes.
package struct ChannelNames: Sendable {
    private let given: [String: ChannelName]

    /// - Parameter given: by the other system's name; all others keep theirs, in lower case.
    package init(_ given: [String: ChannelName] = [:]) {
        self.given = given
    }

    /// - Parameter names: those of the export.
    /// - Throws: ``ImportError`` for a name that is none here, two that would be one, and one that the export does not have.
    func channels(for names: Set<String>) throws(ImportError) -> [String: ChannelName] {
        if let unknown = given.keys.sorted().first(where: { !names.contains($0) }) {
            throw .unknownMapping(unknown, known: names.sorted())
        }
        var channels: [String: ChannelName] = [:]
        for name in names.sorted() {
            let channel = if let named = given[name] { named } else { try Self.channel(named: name) }
            if let other = channels.first(where: { $0.value == channel })?.key {
                throw .mappedTogether(channel, first: other, second: name)
            }
            channels[name] = channel
        }
        return channels
    }

    private static func channel(named name: String) throws(ImportError) -> ChannelName {
        do { return try ChannelName(name.lowercased()) } catch { throw .invalidChannel(name, reason: "\(error)") }
    }
}
