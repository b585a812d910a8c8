import PackFormat
import PackHost
import PackWebOnline
import PackWebKitGTK

/// The page hook in the kiosk's pages.
extension Kiosk {
    /// Sets the version that the next pages of a package may confirm, and what the hook hands over.
    func hookPages(of package: PackageID) {
        let hook = services.hook(of: package, load: state.loads[package])
        view.setHook(hook, for: services.origin(of: package), bridge: services.bridge)
    }
}
