import Dispatch
import PackFormat
import PackHost
import PackUpdater

/// A host that C has opened, and the calls that work for it.
final class OpenHost: Sendable {
    private struct State {
        var isClosed = false
        var calls: [ObjectIdentifier: any StoppableCall] = [:]
    }

    let host: PackHost
    /// What the app says about the network.
    let network: Locked<NetworkKind?>
    private let state = Locked(State())
    /// The work of all calls, also of those that have returned before it ended.
    private let work = DispatchGroup()

    init(_ settings: HostSettings) throws {
        let network = Locked(settings.network)
        var configuration = settings.configuration
        configuration.updater.network = { network.withLock { $0 } }
        self.network = network
        host = try PackHost(configuration)
    }

    func requireOpen() throws(CallFault) {
        if state.withLock({ $0.isClosed }) { throw .closed }
    }

    func begin(_ call: any StoppableCall) throws(CallFault) {
        let isClosed = state.withLock { state in
            if !state.isClosed {
                state.calls[ObjectIdentifier(call)] = call
                work.enter()
            }
            return state.isClosed
        }
        if isClosed { throw .closed }
    }

    /// The work of a call has ended.
    func end(_ call: any StoppableCall) {
        state.withLock { $0.calls[ObjectIdentifier(call)] = nil }
        work.leave()
    }

    /// - Throws: `CallFault.timedOut` if something still works after the time. The host is closed all the same.
    func close(until deadline: DispatchTime) throws(CallFault) {
        let calls = state.withLock { state in
            state.isClosed = true
            return Array(state.calls.values)
        }
        for call in calls { call.stop(.closed) }
        if work.wait(timeout: deadline) == .timedOut { throw .timedOut }
    }
}
