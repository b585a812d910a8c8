import Foundation
import PackFormat
import Testing

@testable import PackRegistryAPI

/// What is said of devices while a gate is off, with what of it is not known.
struct OnlinePagesTests {
    /// A registry of manifests, by path.
    private struct Manifests: RegistryReading {
        var files: [String: [UInt8]] = [:]
        var fault: RegistryError?

        func overview(of packages: Set<PackageID>?) async throws -> RegistryOverview {
            RegistryOverview(app: "shop", versions: [:], channels: [:])
        }

        func channelFile(_ channel: ChannelName, at time: Date?) async throws -> ChannelFile? { nil }

        func planProgress(
            of package: PackageID, on channel: ChannelName, at time: Date?
        ) async throws -> [String: PlanProgress] { [:] }

        func viewFile(_ path: ViewPath, maximumByteCount: Int) async throws -> [UInt8]? {
            if let fault { throw fault }
            return files[path.description]
        }

        func copyViewFile(_ path: ViewPath, to file: URL) async throws -> Bool { false }

        /// A release of a version whose manifest is in the view, as it is or with other bytes in its place.
        mutating func release(_ text: String, origins: [String] = [], stored: [UInt8]? = nil) throws -> Release {
            let page = Manifest.File(digest: Digest(of: Array(text.utf8)), size: text.utf8.count)
            let manifest = try Manifest(
                package: package(), version: version(text), entry: PackagePath("index.html"),
                files: [PackagePath("index.html"): page], origins: origins)
            let digest = Digest(of: Data(manifest.bytes))
            try files[ViewPath.manifest(package(), version(text), digest).description] = stored ?? manifest.bytes
            return try Release(id: "r" + text.filter(\.isNumber), offer: .version(version(text), manifest: digest))
        }
    }

    private let site = ["https://shop.example.com/"]

    @Test func `versions that are known are told as before`() async throws {
        var registry = Manifests()
        let online = try registry.release("1.1.0", origins: site)
        let error = try registry.release("1.0.0")
        let both = try await OnlinePages(of: package(), [online, error], in: registry)
        #expect(
            both.text
                == "devices load its pages online, except those with checkout 1.0.0, which show an error page, because checkout "
                + "1.0.0 lists no origins")
        #expect(!both.areOnline)
        let one = try await OnlinePages(of: package(), [online], in: registry)
        #expect(one.text == "devices load its pages online" && one.areOnline)
    }

    @Test func `a damaged and a missing manifest are unknown, and the others are told`() async throws {
        var registry = Manifests()
        let releases = try [
            registry.release("1.3.0", stored: Array("{}".utf8)), registry.release("1.2.0", origins: site),
            registry.release("1.1.0"),
        ]
        let pages = try await OnlinePages(of: package(), releases, in: registry)
        #expect(pages.unknownVersions == [try version("1.3.0")] && !pages.areOnline)
        #expect(
            pages.text.hasPrefix(
                "devices with checkout 1.2.0 load its pages online; devices with checkout 1.1.0 show an error page, because "
                    + "checkout 1.1.0 lists no origins; what devices with checkout 1.3.0 show is not known, because the manifest "
                    + "of checkout 1.3.0 is damaged: "), "\(pages.text)")
        registry.files = [:]
        let missing = try await OnlinePages(of: package(), [releases[1], releases[2]], in: registry)
        #expect(missing.why == nil && !missing.areOnline)
        #expect(
            missing.text
                == "what devices with checkout 1.2.0 and 1.1.0 show is not known, because the manifest of checkout 1.2.0 is missing"
        )
    }

    @Test func `a storage that does not answer is no error`() async throws {
        var registry = Manifests()
        let release = try registry.release("1.0.0", origins: site)
        registry.fault = RegistryError(.unreachable, "the bucket is away")
        let pages = try await OnlinePages(of: package(), [release], in: registry)
        #expect(
            pages.text
                == "what devices with checkout 1.0.0 show is not known, because the manifest of checkout 1.0.0 cannot be read: the "
                + "bucket is away")
    }

    @Test func `of what the app embeds, and of nothing, no more is said than is known`() async throws {
        let embedded = try Release(id: "r1", offer: .embedded)
        let pages = try await OnlinePages(of: package(), [embedded], in: Manifests())
        #expect(
            pages.text
                == "devices with what the app embeds load its pages online if that lists origins, and show an error page if not"
        )
        #expect(!pages.areOnline)
        let nothing = try await OnlinePages(of: package(), [], in: Manifests())
        #expect(
            nothing.text
                == "devices load its pages online if their version lists origins, and show an error page if not")
        #expect(!nothing.areOnline)
    }
}
