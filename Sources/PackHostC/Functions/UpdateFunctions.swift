// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import CPackHost
import PackFormat
import PackHost
import PackJSON
import PackUpdater

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// The functions of packhost.h for updates and what became of them. The header says what they do; the compiler compares them with it.

@c @implementation
public func packhost_check(
    _ host: packhost_host, _ packages: UnsafePointer<CChar>!, _ milliseconds: Int64, _ canceller: packhost_canceller,
    _ report: UnsafeMutablePointer<packhost_text>!, _ message: UnsafeMutablePointer<CChar>!
) -> Int32 {
    call(message) {
        try give(report, host, packages, CallLimits(milliseconds, canceller)) { host, selection, _ in
            try await host.check(selection)
        }
    }
}

@c @implementation
public func packhost_update(
    _ host: packhost_host, _ packages: UnsafePointer<CChar>!, _ callback: packhost_progress_callback!,
    _ context: UnsafeMutableRawPointer!, _ milliseconds: Int64, _ canceller: packhost_canceller,
    _ report: UnsafeMutablePointer<packhost_text>!, _ message: UnsafeMutablePointer<CChar>!
) -> Int32 {
    call(message) {
        let wantsEvents = callback != nil
        let listener = ProgressListener(callback: callback, context: context)
        try give(report, host, packages, CallLimits(milliseconds, canceller), deliver: listener.take) {
            host, selection, call in
            guard wantsEvents else { return try await host.update(selection) }
            let events = host.updater.updateEvents()
            let relay = Task { for await event in events { call.put(event) } }
            defer { relay.cancel() }
            let done = try await host.update(selection)
            // All events are under way before an update returns; they arrive in a moment.
            var wait = 0
            while !call.hasSeen(.finished(done)), wait < 100 {
                try? await Task.sleep(for: .milliseconds(5))
                wait += 1
            }
            return done
        }
    }
}

@c @implementation
public func packhost_roll_back(
    _ host: packhost_host, _ package: UnsafePointer<CChar>!, _ reason: UnsafePointer<CChar>!,
    _ version: UnsafeMutablePointer<packhost_text>!, _ message: UnsafeMutablePointer<CChar>!
) -> Int32 {
    call(message) {
        version?.pointee = 0
        let open = try HandleTable.host(host)
        let package = try PackageID(CText.required(package, "package"))
        let reason = try CText.optional(reason, "reason") ?? "the app asked for it"
        let active = try BlockingCall.run(on: open, .none) { host, _ in
            try await host.rollBack(package, reason: reason)
        }
        version?.pointee = HandleTable.add(.text(HeldText(active?.description ?? "")))
    }
}

@c @implementation
public func packhost_confirm(
    _ host: packhost_host, _ package: UnsafePointer<CChar>!, _ version: UnsafePointer<CChar>!,
    _ token: UnsafePointer<CChar>!, _ message: UnsafeMutablePointer<CChar>!
) -> Int32 {
    call(message) {
        let open = try HandleTable.host(host)
        let package = try PackageID(CText.required(package, "package"))
        let version = try SemanticVersion(CText.required(version, "version"))
        let token = try CText.required(token, "token")
        try BlockingCall.run(on: open, .none) { host, _ in
            try await host.updater.confirm(package, version: version, loadToken: token)
        }
    }
}

@c @implementation
public func packhost_status(
    _ host: packhost_host, _ status: UnsafeMutablePointer<packhost_text>!, _ message: UnsafeMutablePointer<CChar>!
) -> Int32 {
    call(message) {
        let status = try place(status, "status")
        let found = try BlockingCall.run(on: HandleTable.host(host), .none) { host, _ in
            try await host.updater.status()
        }
        let packages = found.map { ($0.package.text, JSONValue.object($0.json)) }
        status.pointee = handle(of: .object(["packages": .object(JSONObject(packages))]))
    }
}

@c @implementation
public func packhost_explain(
    _ host: packhost_host, _ packages: UnsafePointer<CChar>!, _ events: UInt32,
    _ explanation: UnsafeMutablePointer<packhost_text>!, _ message: UnsafeMutablePointer<CChar>!
) -> Int32 {
    call(message) {
        let explanation = try place(explanation, "explanation")
        let open = try HandleTable.host(host)
        let packages = try names(packages) ?? []
        let (explained, log) = try BlockingCall.run(on: open, .none) { host, _ in
            (try await host.updater.explain(packages), await host.updater.events(limit: .max))
        }
        let chosen = log.filter { event in
            packages.isEmpty || event.package.map { packages.contains($0) } ?? true
        }.suffix(Int(events))
        explanation.pointee = handle(
            of: .object([
                "packages": .object(JSONObject(explained.map { ($0.package.text, .object($0.json)) })),
                "events": .array(chosen.map { .object($0.json) }),
            ]))
    }
}

@c @implementation
public func packhost_folder(
    _ host: packhost_host, _ package: UnsafePointer<CChar>!, _ folder: UnsafeMutablePointer<packhost_text>!,
    _ message: UnsafeMutablePointer<CChar>!
) -> Int32 {
    call(message) {
        let folder = try place(folder, "folder")
        let open = try HandleTable.host(host)
        try open.requireOpen()
        // It keeps what it has given on the device, as long as the text has it.
        let manager = LiveUpdateManager(of: try PackageID(CText.required(package, "package")), in: open.host)
        guard let found = manager.latestAppDirectory else {
            throw CallFault(
                PACKHOST_NOT_FOUND,
                "\(manager.package) has no folder: no version is completely installed, its files are damaged, or its"
                    + " channel has switched it off. packhost_explain says which")
        }
        folder.pointee = HandleTable.add(.text(HeldText(found.path, of: manager)))
    }
}

/// What a check and an update have in common: gives the caller the report that they make.
private func give(
    _ report: UnsafeMutablePointer<packhost_text>?, _ host: packhost_host, _ packages: UnsafePointer<CChar>?,
    _ limits: @autoclosure () throws -> CallLimits, deliver: (UpdateEvent) -> Bool = { _ in true },
    _ make: @escaping @Sendable (PackHost, PackageSelection, BlockingCall<UpdateReport>) async throws -> UpdateReport
) throws {
    let report = try place(report, "report")
    let open = try HandleTable.host(host)
    let selection = try selection(packages)
    let made = try BlockingCall.run(on: open, limits(), deliver: deliver) { try await make($0, selection, $1) }
    report.pointee = handle(of: .object(made.json))
}

private func handle(of json: JSONValue) -> UInt64 { HandleTable.add(.text(HeldText(json.compactText))) }

private func selection(_ packages: UnsafePointer<CChar>?) throws -> PackageSelection {
    if let text = try CText.optional(packages, "packages"), text == PACKHOST_OPENED { return .onDemand }
    return try names(packages).map { .list($0) } ?? .all
}

/// The names between commas; nil for NULL.
private func names(_ packages: UnsafePointer<CChar>?) throws -> [PackageID]? {
    guard let text = try CText.optional(packages, "packages") else { return nil }
    return try text.split(separator: ",", omittingEmptySubsequences: false).map { try PackageID(String($0)) }
}
