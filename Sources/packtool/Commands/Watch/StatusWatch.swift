import Foundation
import PackFormat
import PackRegistryAPI
import UnixSignals

/// `packtool status --watch`: the state of a registry on the whole terminal, until somebody ends it.
struct StatusWatch {
    private static let maximumChangeCount = 500

    let registry: any Registry
    let place: String
    let package: PackageID?
    let channel: ChannelName?
    /// Seconds between two looks.
    let interval: Int

    private enum Event {
        case tick, key(UInt8), signal
    }

    /// - Throws: if stdout is no terminal, or the registry cannot be read at the start.
    func run() async throws {
        var snapshot = try await read()
        let screen = try TerminalScreen()
        defer { screen.end() }
        var changes: [(time: Date, text: String)] = []
        var fault: String?
        var lastLook = ContinuousClock.now
        let hasStyle = ProcessInfo.processInfo.environment["NO_COLOR"].map(\.isEmpty) ?? true
        for await event in Self.events() {
            switch event {
            case .signal: return
            case .key(let key) where [UInt8(ascii: "q"), UInt8(ascii: "Q"), 4].contains(key): return
            case .key, .tick: break
            }
            let now = ContinuousClock.now
            if now - lastLook >= .seconds(interval) {
                lastLook = now
                do {
                    let new = try await read()
                    changes += new.changes(since: snapshot).map { (new.time, $0) }
                    changes = changes.suffix(Self.maximumChangeCount)
                    (snapshot, fault) = (new, nil)
                } catch {
                    fault = "\(error)"
                }
            }
            let size = screen.size
            screen.draw(
                WatchFrame(
                    snapshot: snapshot, changes: changes, fault: fault, place: place, interval: interval, now: Date(),
                    hasStyle: hasStyle
                ).lines(width: size.width, height: size.height))
        }
    }

    private func read() async throws -> WatchSnapshot {
        try await WatchSnapshot.read(registry, package: package, channel: channel, now: Date())
    }

    /// A tick each second, so that the clock and the window's size are right, and what somebody does.
    private static func events() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream<Event>.makeStream(bufferingPolicy: .bufferingNewest(16))
        let ticks = Task {
            while !Task.isCancelled {
                continuation.yield(.tick)
                try? await Task.sleep(for: .seconds(1))
            }
        }
        let keys = Task { for await key in TerminalScreen.keys() { continuation.yield(.key(key)) } }
        let signals = Task {
            for await _ in await UnixSignalsSequence(trapping: [.sigint, .sigterm, .sighup]) {
                continuation.yield(.signal)
            }
        }
        continuation.onTermination = { _ in
            for task in [ticks, keys, signals] { task.cancel() }
        }
        return stream
    }
}
