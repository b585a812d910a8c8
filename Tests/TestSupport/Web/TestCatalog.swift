package import Foundation
package import PackFormat
package import PackWeb

/// What a device has, changed by the test as an updater would.
package final class TestCatalog: SiteCatalog, @unchecked Sendable {
    // Not a `Mutex`: the thread sanitizer does not see how a thread waits inside it (Swift 6.3).
    private let lock = NSLock()
    private var installed: [PackageID: TestContent] = [:]
    private var current = WebSettings()
    private var opened = 0

    package init(_ contents: TestContent..., schemes: Set<String> = ["h5pack"]) {
        current.schemes = schemes
        for content in contents { install(content) }
    }

    package func install(_ content: TestContent) {
        lock.withLock {
            let id = content.manifest.package
            installed[id] = content
            current.packages[id, default: WebSettings.Package()].origins = content.manifest.origins
        }
    }

    package func change(_ body: (inout WebSettings) throws -> Void) rethrows {
        try lock.withLock { try body(&current) }
    }

    /// How often a version was opened.
    package var openCount: Int { lock.withLock { opened } }

    package var settings: WebSettings { lock.withLock { current } }

    package func manifest(of package: PackageID) -> Manifest? { lock.withLock { installed[package]?.manifest } }

    package func content(of package: PackageID) throws -> (any SiteContent)? {
        lock.withLock {
            opened += 1
            return installed[package]
        }
    }
}

/// A version in a ``TestStore``.
package struct TestContent: SiteContent {
    package let manifest: Manifest
    package let store: TestStore
    package var onClose: @Sendable () -> Void = {}

    package init(manifest: Manifest, store: TestStore) {
        self.manifest = manifest
        self.store = store
    }

    package func file(for digest: Digest) throws -> URL { store.file(for: digest) }
    package func close() { onClose() }
}
