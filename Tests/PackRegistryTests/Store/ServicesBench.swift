import Foundation
import PackFormat
import PackRegistryS3
import TestSupport
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// What stands behind a registry's ports.
enum ServicesKind: CaseIterable, CustomTestStringConvertible {
    /// SQLite, a folder of objects, a folder of files.
    case folder
    /// The same with PostgreSQL.
    case postgres
    /// SQLite, and the files in S3-compatible storage.
    case s3
    /// Nothing but the twins.
    case memory

    var testDescription: String { "\(self)" }
}

/// A registry over one kind of services, with the keys of a shop's developer.
struct ServicesBench {
    let shop: Shop
    let services: RegistryServices

    init(_ kind: ServicesKind) async throws {
        let shop = try await Shop(isInDatabase: kind == .postgres)
        self.shop = shop
        switch kind {
        case .folder, .postgres: services = shop.local.services
        case .s3:
            let files = try await S3Store.ofTests()
            let content = files.content(scratch: shop.folder.url) { _, _ in }
            let local = shop.local.services
            services = RegistryServices(
                store: local.store, leases: local.leases, signer: try OnlineKeys.load(from: shop.local.files),
                content: content, view: files.view, downloads: NoDownloads(), clock: local.clock)
            try await services.show()
        case .memory:
            let clock = shop.clock
            let store = MemoryRegistryStore(app: "shop", clock: { clock.now })
            services = RegistryServices(
                store: store, leases: store, signer: try OnlineKeys.load(from: shop.local.files),
                content: MemoryContentStore(),
                view: MemoryViewStore(), downloads: NoDownloads(), clock: { clock.now })
            let founded = try await shop.local.services.store.facts(FactsQuery())
            try await services.commit(
                RegistryFounding(root: founded.required("root"), targets: founded.required("targets")),
                as: .local(user: "ann"))
        }
    }

    var registry: any Registry { AuthorizedRegistry(services, as: .local(user: "ann")) }

    func publish(_ versions: String...) async throws {
        let publisher = try shop.publisher(over: registry)
        for version in versions { _ = try await publisher.publish([shop.page(version).zip]) }
    }

    func change(_ change: ChannelChange) async throws {
        _ = try await registry.change(change, of: package(), on: channel())
    }
}
