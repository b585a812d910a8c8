extension PageState {
    /// A version's trial has ended badly.
    /// - Returns: nil if the page hangs that has failed before.
    public mutating func failed(_ fault: TrialFault) -> PageFailure? {
        switch fault {
        case .late(let version): fail(notReady, of: version, isAgain: true, mayHang: true)
        case .hangs(let time):
            fail("the page hangs: it has not answered for \(time.components.seconds) s", mayHang: true)
        }
    }
}
