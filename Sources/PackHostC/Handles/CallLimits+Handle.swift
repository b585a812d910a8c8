extension CallLimits {
    /// - Parameters:
    ///   - milliseconds: negative for no limit.
    ///   - handle: of a canceller; 0 for none.
    init(_ milliseconds: Int64, _ handle: UInt64) throws(CallFault) {
        self.init(
            deadline: Self.deadline(milliseconds), canceller: handle == 0 ? nil : try HandleTable.canceller(handle))
    }
}
