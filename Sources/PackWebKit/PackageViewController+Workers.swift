#if canImport(WebKit)
    import Foundation
    import PackFormat
    import PackWeb
    import WebKit

    /// Service workers, which outlive pages and versions.
    extension PackageViewController {
        /// Removes service workers before the first page of another version, newer or older, because they would answer
        /// instead of the version. A custom scheme has none.
        func removeOldWorkers(of package: PackageID) async {
            guard services.transport == .proxy, let digest = host.packages.manifest(of: package)?.digest,
                seen.isOther(digest, of: package)
            else { return }
            await configuration.dataStore.removeWorkers(of: SiteAddress.virtualHost(of: package))
            seen.note(digest, of: package)
        }
    }

    extension WKWebsiteDataStore {
        /// Where the versions are noted whose workers this store may have; nil for a store in memory, which the
        /// controller remembers by itself.
        var versionsFile: URL? {
            guard isPersistent else { return nil }
            var name = "default"
            if #available(iOS 17, macOS 14, *), let identifier { name = identifier.uuidString }
            let folder = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            return folder?.appendingPathComponent(Bundle.main.bundleIdentifier ?? "packtool")
                .appendingPathComponent("packtool-versions-\(name).json")
        }

        /// Ends the service workers of a host and removes their registrations and their Cache storage. Other data of
        /// pages (`localStorage`, IndexedDB, cookies) is kept.
        ///
        /// WebKit names its records after the domain as the public suffix list has it. If no record is named after the
        /// host, the registrations of all hosts in this store are removed, because one of them may be the host's; the
        /// others register again.
        /// - Parameter host: such as `shop.package`.
        fileprivate func removeWorkers(of host: String) async {
            let workers = WKWebsiteDataTypeServiceWorkerRegistrations
            let kinds: Set<String> = [workers, WKWebsiteDataTypeFetchCache]
            let named = await dataRecords(ofTypes: kinds).filter { $0.displayName == host }
            if named.isEmpty {
                await removeData(ofTypes: [workers], modifiedSince: .distantPast)
            } else {
                await removeData(ofTypes: kinds, for: named)
            }
        }
    }
#endif
