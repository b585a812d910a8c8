import NIOCore

/// Measures how long a half-closed tunnel has carried nothing. It is used on one event loop only.
final class HalfClosedTimer {
    private let limit: TimeAmount
    private var last = NIODeadline.now()
    private var check: Scheduled<Void>?
    private var hasEnded = false

    init(limit: TimeAmount) {
        self.limit = limit
    }

    /// Calls `close` once the tunnel has been silent for the limit's time from now on.
    func begin(on loop: any EventLoop, close: @escaping () -> Void) {
        guard check == nil, !hasEnded else { return }
        last = .now()
        wait(NIOLoopBound((silence: self, close: close), eventLoop: loop), on: loop)
    }

    /// Bytes have come, or were taken.
    func reset() { if check != nil { last = .now() } }

    func end() {
        hasEnded = true
        check?.cancel()
        check = nil
    }

    private func wait(_ bound: NIOLoopBound<(silence: HalfClosedTimer, close: () -> Void)>, on loop: any EventLoop) {
        check = loop.scheduleTask(deadline: last + limit) {
            let (silence, close) = bound.value
            guard !silence.hasEnded else { return }
            if silence.last + silence.limit <= .now() {
                silence.end()
                close()
            } else {
                silence.wait(bound, on: loop)
            }
        }
    }
}
