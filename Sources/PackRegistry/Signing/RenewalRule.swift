import Foundation
import PackFormat
import PackRegistryAPI
import PackTrust

/// When the online roles are signed anew: before they expire, and after the online key has changed. ``SignatureRenewal`` asks for it,
/// and ``MetadataSigner`` signs.
enum RenewalRule {
    /// The online roles that expire soon, or that were not signed by the present online key.
    static func dueRoles(_ facts: RegistryFacts, now: Date) throws -> [String] {
        let root: SignedDocument<RootMetadata> = try facts.required(TopLevelRole.root.rawValue)
        var due: [String] = []
        if let channels: SignedDocument<TargetsMetadata> = try facts.newest(ViewLayout.channelsRole),
            isDue(channels.body.expires, MetadataLifetime.channels, now)
        {
            due.append(ViewLayout.channelsRole)
        }
        let snapshot: SignedDocument<SnapshotMetadata>? = try facts.newest(TopLevelRole.snapshot.rawValue)
        if !isSound(snapshot, root.body.authority(for: .snapshot), MetadataLifetime.snapshot, now) {
            due.append(TopLevelRole.snapshot.rawValue)
        }
        let timestamp: SignedDocument<TimestampMetadata>? = try facts.newest(TopLevelRole.timestamp.rawValue)
        if !isSound(timestamp, root.body.authority(for: .timestamp), MetadataLifetime.timestamp, now) {
            due.append(TopLevelRole.timestamp.rawValue)
        }
        return due
    }

    /// Whether a document goes on as it is: the present key has signed it, and it does not expire soon.
    static func isSound<Body: RoleMetadata>(
        _ document: SignedDocument<Body>?, _ authority: RoleAuthority, _ lifetime: TimeInterval, _ now: Date
    ) -> Bool {
        guard let document, (try? document.verify(by: authority)) != nil else { return false }
        return !isDue(document.body.header.expires, lifetime, now)
    }

    private static func isDue(_ expires: Date, _ lifetime: TimeInterval, _ now: Date) -> Bool {
        expires.timeIntervalSince(now) < lifetime * MetadataLifetime.renewedBelow
    }
}
