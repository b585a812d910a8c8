import Foundation
import PackAuthorities
import PackFormat
import PackHost
import PackJSON
import PackProxy
import PackUpdater
import PackWeb
import PackWebOnline
import PackWebKitGTK

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One window with one package: it starts, shows, confirms or goes back, and updates.
@MainActor
final class Kiosk {
    let settings: KioskSettings
    let host: PackHost
    let services: PageServices
    private let proxy: LoopbackProxy?
    let control: KioskControl?
    private(set) var view: PackageView
    /// The pages of the view, and what their events mean.
    var state: PageState
    let trial: VersionTrial
    var seen: SeenVersions
    private var scheduler: UpdateScheduler?
    /// Nothing was installed when the last check began.
    private var wasEmpty = false
    /// Whether the package's pages come from the device, as of the last check.
    private var isGateOn = true

    /// - Parameter viewFolder: where the view keeps its data, for this run or longer.
    init(_ settings: KioskSettings, viewFolder: URL) async throws {
        self.settings = settings
        let host = try PackHost(settings.host)
        self.host = host
        trial = VersionTrial(of: settings.package, in: host, readyTimeout: settings.readyTimeout)
        let confirmations = Confirmations()
        services = try PageServices(host.packages, settings.services()) { try await confirmations.confirm($0, $1) }
        let home = PageState.Home(
            package: settings.package, origin: services.origin(of: settings.package), path: settings.path)
        state = PageState(home, readyTimeout: settings.readyTimeout)
        state.confirmsLoadedPages = !settings.waitsForPage
        let transport: PackageViewConfiguration.Transport
        if settings.usesProxy {
            let proxy = LoopbackProxy(
                pages: services.pages, online: services.online, authorities: PrivateAuthorities.text)
            let name = SiteAddress.virtualHost(of: settings.package)
            let access = try await proxy.start(hosts: [name])
            transport = .proxy(address: access.address, certificate: access.certificate, hosts: [name])
            self.proxy = proxy
        } else {
            let driver = services.schemeDriver { .serial(label: "packtool-kiosk.task") }
            transport = .scheme(settings.scheme, driver)
            proxy = nil
        }
        guard let view = PackageView(settings.view(transport, in: viewFolder)) else {
            throw KioskFailure("the web view cannot be made: is there a display?")
        }
        self.view = view
        services.cookies.attach(view.cookieStore)
        seen = SeenVersions(file: viewFolder.appending(path: "packtool-versions.json"))
        control = settings.takesCommands ? KioskControl() : nil
        confirmations.kiosk = self
        trial.view = self
    }

    /// Shows the package; returns when the first page is under way.
    func start() async throws {
        view.willNavigate = { [weak self] url in await self?.willNavigate(to: url) }
        view.willShow = { [weak self] answer in await self?.willShow(answer) ?? true }
        view.didChange = { [weak self] event in self?.changed(event) }
        view.takesWindow = { [weak self] window in self?.takes(window) ?? false }
        view.didDownload = { [weak self] download in self?.downloaded(download) }
        control?.start { [weak self] command in await self?.perform(command) ?? .failed("the kiosk is closing") }
        try await host.start()
        try await host.refresh()
        view.load(address)
        await startUpdating()
        Task { await FreeMemory.giveBack() }
    }

    /// The address of the page to show, in the form that the transport serves.
    var address: String {
        let active = host.packages.manifest(of: settings.package)?.digest
        return services.address(of: settings.package, path: state.path(of: active))
    }

    /// The version that the page on view started with.
    var shownVersion: String? { state.attempt.version }

    /// Looks for an update now.
    /// - Returns: whether something changed.
    func update() async -> Bool {
        let result: Result<UpdateReport, any Error>
        do { result = .success(try await host.update(.list([settings.package]))) } catch { result = .failure(error) }
        return checked(result)
    }

    /// Says what a check brought, and shows it where it is to be seen at once.
    /// - Returns: whether something changed.
    @discardableResult
    private func checked(_ result: Result<UpdateReport, any Error>) -> Bool {
        let gate = host.packages.settings.packages[settings.package]?.isEnabled ?? true
        let isOtherGate = gate != isGateOn
        isGateOn = gate
        switch result {
        case .success(let report):
            for entry in report.entries { say("update: \(entry.package): \(entry.why)") }
            control?.say("updated", ["changed": .bool(report.isChanged)])
            // Where nothing was installed, the view shows an error that no user can leave.
            let isShown = settings.showsUpdates || wasEmpty || report.entries.contains(where: \.isShownAtOnce)
            if report.isChanged && isShown || isOtherGate { view.load(address) }
            wasEmpty = host.packages.manifest(of: settings.package) == nil
            return report.isChanged
        case .failure(let error):
            // Offline is a normal state of a kiosk: what is installed is shown.
            say("no update: \(error)")
            control?.say("updated", ["changed": false, "reason": .string("\(error)")])
            return false
        }
    }

    private func startUpdating() async {
        wasEmpty = host.packages.manifest(of: settings.package) == nil
        isGateOn = host.packages.settings.packages[settings.package]?.isEnabled ?? true
        guard let schedule = settings.schedule else {
            Task {
                try? await Task.sleep(for: UpdateSchedule().firstDelay)
                _ = await update()
            }
            return
        }
        let scheduler = host.scheduler(.list([settings.package]), schedule: schedule) { [weak self] result in
            await self?.checked(result)
        }
        self.scheduler = scheduler
        await scheduler.start()
    }

    func say(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}

/// Connects the services to the kiosk. They are made before the kiosk is complete.
@MainActor
private final class Confirmations {
    weak var kiosk: Kiosk?

    func confirm(_ sender: PageBridge.Sender, _ load: PageHook.Load) throws {
        guard let kiosk else { throw KioskFailure("the kiosk is closing") }
        try kiosk.confirm(sender, load)
    }
}
