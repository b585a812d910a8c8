package import Foundation
import PackFormat
import PackTrust

/// What an attacker does with the mirror from which a package is opened that is not installed.
package enum MirrorLie: String, CaseIterable, Sendable {
    /// Objects of the signed size with other bytes, and no patches.
    case swapped
    /// Neither objects nor patches, as against a registry that had an online copy.
    case withheld
    case manifest
    case withheldByStolenKey
    case embeddedByStolenKey
    case foreignByStolenKey

    package static let evil = "<!doctype html><title>evil</title><script>window.evil = 1</script>"

    /// - Parameters:
    ///   - mirror: a copy of a view with version 1.0.0 of `shop`.
    ///   - registry: the folder that it is a copy of.
    package func tell(in mirror: Mirror, of registry: URL, channel: String) throws {
        // Whatever is asked for at the place of the registry's copy for browsers, it is his.
        for path in ["index.html", "app.js"] {
            try mirror.write(Array(Self.evil.utf8), to: "site/shop/1.0.0/\(path)")
        }
        if self == .manifest {
            for path in mirror.paths(below: "targets/manifests") {
                let text = String(decoding: try mirror.read(path), as: UTF8.self)
                try mirror.write(Array(text.replacing("app.js", with: "evl.js").utf8), to: path)
            }
            return
        }
        for path in mirror.paths(below: "patches") + mirror.paths(below: "objects") {
            guard self == .swapped, path.hasPrefix("objects") else {
                try FileManager.default.removeItem(at: mirror.folder.appendingPathComponent(path))
                continue
            }
            let size = try mirror.read(path).count
            try mirror.write(Array((Self.evil + String(repeating: " ", count: size)).utf8.prefix(size)), to: path)
        }
        let thief = try OnlineThief(registry: registry, mirror: mirror)
        func offer(_ offer: Release.Offer) throws {
            let release = try Release(id: "stolen", offer: offer, rollout: Rollout(percent: 100))
            let package = ChannelFile.Package(releases: [release])
            let file = try ChannelFile(
                app: thief.app(in: channel), channel: ChannelName(channel), packages: [PackageID("shop"): package])
            try thief.offer(file.bytes, on: channel)
        }
        switch self {
        case .swapped, .withheld, .manifest: break
        case .withheldByStolenKey: try thief.seal()
        case .embeddedByStolenKey: try offer(.embedded)
        case .foreignByStolenKey:
            try offer(.version(SemanticVersion("1.0.0"), manifest: Digest(of: Array(Self.evil.utf8))))
        }
    }
}
