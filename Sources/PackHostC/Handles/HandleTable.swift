import PackFormat

/// What a handle of C names.
enum Held: Sendable {
    case host(OpenHost)
    case view(OpenView)
    case answer(HeldAnswer)
    case text(HeldText)
    case canceller(Canceller)
}

/// The handles that C has, of all hosts of the process: the only thing that hosts share. A number that is not in it names nothing, so
/// a wrong or freed handle is an error and never touches memory. No number is given out twice.
enum HandleTable {
    private struct State {
        var count: UInt64 = 0
        var held: [UInt64: Held] = [:]
    }

    private static let state = Locked(State())
    /// An odd factor makes different numbers of different counts, far apart: a small number that a program mixes up is no handle.
    private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15

    static func add(_ held: Held) -> UInt64 {
        state.withLock { state in
            state.count += 1
            let handle = state.count &* factor
            state.held[handle] = held
            return handle
        }
    }

    static func host(_ handle: UInt64) throws(CallFault) -> OpenHost {
        guard case .host(let host) = find(handle) else { throw .wrongHandle("a host") }
        return host
    }

    static func view(_ handle: UInt64) throws(CallFault) -> OpenView {
        guard case .view(let view) = find(handle) else { throw .wrongHandle("a view") }
        return view
    }

    static func answer(_ handle: UInt64) throws(CallFault) -> HeldAnswer {
        guard case .answer(let answer) = find(handle) else { throw .wrongHandle("an answer") }
        return answer
    }

    static func text(_ handle: UInt64) throws(CallFault) -> HeldText {
        guard case .text(let text) = find(handle) else { throw .wrongHandle("a text") }
        return text
    }

    static func canceller(_ handle: UInt64) throws(CallFault) -> Canceller {
        guard case .canceller(let canceller) = find(handle) else { throw .wrongHandle("a canceller") }
        return canceller
    }

    private static func find(_ handle: UInt64) -> Held? { state.withLock { $0.held[handle] } }

    /// Takes a host's handle away.
    static func removeHost(_ handle: UInt64) throws(CallFault) -> OpenHost {
        let removed = state.withLock { state -> OpenHost? in
            guard case .host(let host) = state.held[handle] else { return nil }
            state.held[handle] = nil
            return host
        }
        guard let removed else { throw .wrongHandle("a host") }
        return removed
    }

    /// Takes away the handle of anything but a host. What it named goes when nobody uses it any more, outside the lock.
    static func free(_ handle: UInt64) throws(CallFault) {
        let removed = state.withLock { state -> Held? in
            switch state.held[handle] {
            case .host, nil: return nil
            default: return state.held.removeValue(forKey: handle)
            }
        }
        guard removed != nil else { throw .wrongHandle("a view, an answer, a text or a canceller") }
    }
}
