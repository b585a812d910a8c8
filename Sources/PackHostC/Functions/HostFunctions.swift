// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import CPackHost
import PackFormat
import PackHost
import PackUpdater

// The functions of packhost.h for hosts, handles and cancellers. The header says what they do; the compiler compares them with it.

@c @implementation
public func packhost_abi() -> UInt32 { UInt32(PACKHOST_ABI) }

@c @implementation
public func packhost_open(
    _ settings: UnsafePointer<CChar>!, _ host: UnsafeMutablePointer<packhost_host>!,
    _ message: UnsafeMutablePointer<CChar>!
) -> Int32 {
    call(message) {
        let host = try place(host, "host")
        let settings = try HostSettings(parsing: CText.required(settings, "settings"))
        host.pointee = HandleTable.add(.host(try OpenHost(settings)))
    }
}

@c @implementation
public func packhost_close(
    _ host: packhost_host, _ milliseconds: Int64, _ message: UnsafeMutablePointer<CChar>!
) -> Int32 {
    call(message) { try HandleTable.removeHost(host).close(until: CallLimits.deadline(milliseconds)) }
}

@c @implementation
public func packhost_free(_ handle: UInt64) -> Int32 {
    call(nil) { if handle != 0 { try HandleTable.free(handle) } }
}

@c @implementation
public func packhost_start(
    _ host: packhost_host, _ milliseconds: Int64, _ canceller: packhost_canceller,
    _ message: UnsafeMutablePointer<CChar>!
) -> Int32 {
    call(message) {
        try BlockingCall.run(on: HandleTable.host(host), CallLimits(milliseconds, canceller)) { host, _ in
            try await host.start()
        }
    }
}

@c @implementation
public func packhost_end_session(
    _ host: packhost_host, _ milliseconds: Int64, _ canceller: packhost_canceller,
    _ message: UnsafeMutablePointer<CChar>!
) -> Int32 {
    call(message) {
        try BlockingCall.run(on: HandleTable.host(host), CallLimits(milliseconds, canceller)) { host, _ in
            await host.endSession()
        }
    }
}

@c @implementation
public func packhost_set_network(
    _ host: packhost_host, _ network: Int32, _ message: UnsafeMutablePointer<CChar>!
) -> Int32 {
    call(message) {
        let host = try HandleTable.host(host)
        try host.requireOpen()
        let kind: NetworkKind?
        switch network {
        case Int32(PACKHOST_NETWORK_UNKNOWN.rawValue): kind = nil
        case Int32(PACKHOST_NETWORK_UNMETERED.rawValue): kind = .unmetered
        case Int32(PACKHOST_NETWORK_METERED.rawValue): kind = .metered
        default: throw CallFault.wrongArgument("there is no network \(network)")
        }
        host.network.withLock { $0 = kind }
    }
}

@c @implementation
public func packhost_set_channel(
    _ host: packhost_host, _ channel: UnsafePointer<CChar>!, _ message: UnsafeMutablePointer<CChar>!
) -> Int32 {
    call(message) {
        let open = try HandleTable.host(host)
        let name = try ChannelName(CText.required(channel, "channel"))
        try BlockingCall.run(on: open, .none) { host, _ in await host.updater.setChannel(name) }
    }
}

@c @implementation
public func packhost_canceller_new(
    _ canceller: UnsafeMutablePointer<packhost_canceller>!, _ message: UnsafeMutablePointer<CChar>!
) -> Int32 {
    call(message) { try place(canceller, "canceller").pointee = HandleTable.add(.canceller(Canceller())) }
}

@c @implementation
public func packhost_cancel(_ canceller: packhost_canceller) -> Int32 {
    call(nil) { try HandleTable.canceller(canceller).cancel() }
}

@c @implementation
public func packhost_text_get(
    _ text: packhost_text, _ length: UnsafeMutablePointer<Int>!
) -> UnsafePointer<CChar>! {
    guard let held = try? HandleTable.text(text) else { return nil }
    length?.pointee = held.count
    return held.bytes
}
