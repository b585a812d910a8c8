import PackFormat
import PackSystem

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Android)
    import Android
#endif

extension DeviceStore {
    /// Makes a damaged `state.json` again from the versions whose files are here: the newest of a package becomes
    /// active and has to be confirmed anew, the one below it is what the device goes back to. A version of a set that is
    /// not here as a whole is passed over. Gates, rules and the poll interval are those of the last channel file.
    /// - Parameter channel: as the last check has read and verified it; nil if there is none: then nothing is known of
    ///   gates, rules and sets before the next check.
    /// - Returns: what was done, in words; nothing where the state is sound.
    func rebuildDamagedState(_ channel: ChannelFile?) throws -> [String] {
        let lock = try Durable.lock(layout.stateLock, .exclusive)
        defer { withExtendedLifetime(lock) {} }
        let damage: String
        do {
            _ = try Self.read(layout)
            return []
        } catch {
            guard case .storeIsDamaged(_, let reason) = error else { throw error }
            damage = reason
        }
        var state = StoreState(deviceID: Self.randomID())
        var done = ["state.json was damaged (\(damage)) and is made again"]
        let found = try RebuiltVersions(installed(), channel: channel)
        for (package, versions) in found.chosen.sorted(by: { $0.key < $1.key }) {
            guard let newest = versions.first, newest.hasPages else { continue }
            state[package].active = PackageState.Active(installed: newest, isConfirmed: false)
            state[package].previous = versions.dropFirst().first
            done.append("\(package) \(newest.id) is active and has to be confirmed anew")
        }
        for (package, version) in found.passedOver {
            done.append("\(package) \(version) is passed over, because not all of its set is here")
        }
        if let channel {
            state.app = channel.app
            done += state.obey(channel).map { package, change in package.map { "\($0): \(change)" } ?? change }
        }
        // A second name for the damaged file, for people; its own name always has one of the two states.
        let copy = layout.state.appendingPathExtension("damaged")
        try Durable.remove(copy)
        if link(layout.state.path, copy.path) != 0 { try? FileManager.default.copyItem(at: layout.state, to: copy) }
        try Self.write(state, layout)
        return done
    }

    /// The versions whose trees are here.
    private func installed() throws -> [PackageID: [PackageState.Installed]] {
        var found: [PackageID: [PackageState.Installed]] = [:]
        for name in try Durable.names(in: layout.unzipFiles) {
            guard let package = try? PackageID(name) else { continue }
            found[package] = try Durable.names(in: layout.trees(of: package)).compactMap { try installed(package, $0) }
        }
        return found
    }

    private func installed(_ package: PackageID, _ name: String) throws -> PackageState.Installed? {
        let url = layout.trees(of: package).appending(path: "\(name)/\(Manifest.fileName)")
        guard let bytes = try Durable.readSound(url, maximumByteCount: Manifest.maximumByteCount),
            let manifest = try? Manifest(parsing: bytes), manifest.package == package,
            manifest.version.description == name
        else { return nil }
        let id = VersionID(version: manifest.version, manifest: Digest(of: bytes))
        return PackageState.Installed(id: id, release: nil, hasPages: manifest.entry != nil)
    }
}

/// Which of the versions that are here run after a state was lost: the newest, but of a set all packages or none.
struct RebuiltVersions {
    /// Newest first; with the releases of the channel that offer them.
    private(set) var chosen: [PackageID: [PackageState.Installed]] = [:]
    /// Newer than what was chosen.
    private(set) var passedOver: [(PackageID, SemanticVersion)] = []

    init(_ found: [PackageID: [PackageState.Installed]], channel: ChannelFile?) {
        let sets = channel.map { ReleaseSets(of: $0) } ?? .none
        var whole: Set<String> = []
        var releases: [PackageID: [VersionID: Release]] = [:]
        for (package, content) in channel?.packages ?? [:] {
            for release in content.releases {
                if let set = release.set { whole.insert(set) }
                if let id = release.versionID, releases[package]?[id] == nil {
                    releases[package, default: [:]][id] = release
                }
            }
        }
        func versions(of package: PackageID) -> [PackageState.Installed] {
            (found[package] ?? []).compactMap { installed in
                guard let release = releases[package]?[installed.id] else { return installed }
                if let set = release.set, !whole.contains(set) { return nil }
                let mark = PackageState.ReleaseMark(id: release.id, retry: release.retry, set: release.set)
                return PackageState.Installed(id: installed.id, release: mark, hasPages: installed.hasPages)
            }.sorted { $1.id.version < $0.id.version }
        }
        // Each round takes a set away, so this ends.
        repeat {
            for package in found.keys { chosen[package] = versions(of: package) }
        } while removeBroken(&whole, sets, found)
        for (package, installed) in found.sorted(by: { $0.key < $1.key }) {
            let newest = chosen[package]?.first?.id.version
            for version in installed.map(\.id.version).sorted() where newest.map({ $0 < version }) ?? true {
                passedOver.append((package, version))
            }
        }
    }

    /// Takes away the first set of which one package runs its version, and another that is here an older one.
    private func removeBroken(
        _ whole: inout Set<String>, _ sets: ReleaseSets, _ found: [PackageID: [PackageState.Installed]]
    ) -> Bool {
        for set in whole.sorted() {
            let members = sets.members(of: set).filter { found[$0.key]?.isEmpty == false }
            let isRun = members.contains { chosen[$0.key]?.first?.id == $0.value.versionID }
            let isBroken = members.contains { package, release in
                guard let own = release.versionID, let running = chosen[package]?.first?.id else { return false }
                return running != own && running.version < own.version
            }
            guard isRun, isBroken else { continue }
            whole.remove(set)
            return true
        }
        return false
    }
}
