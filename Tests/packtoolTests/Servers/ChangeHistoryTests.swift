import Testing

/// The check of a history finds what it is there to find.
struct ChangeHistoryTests {
    private let start = ChangeHistory.Instant.now

    private func at(_ second: Int) -> ChangeHistory.Instant { start + .seconds(second) }

    private func value(_ text: String) -> ChangeHistory.Value { ChangeHistory.Value(object: "shop", text: text) }

    /// `a` in the seconds 1 to 2, `b` in 3 to 4, and `c` from 3 on without an answer.
    private func history() -> ChangeHistory {
        var history = ChangeHistory()
        history.begin(value("a"), at: at(1))
        history.acknowledge(value("a"), at: at(2))
        history.begin(value("b"), at: at(3))
        history.acknowledge(value("b"), at: at(4))
        history.begin(value("c"), at: at(3))
        return history
    }

    private func log(_ texts: String...) -> [ChangeHistory.Value] { texts.map(value) }

    @Test func `orders that explain everything are none`() {
        for log in [log("first", "a", "b"), log("first", "a", "b", "c"), log("first", "a", "c", "b")] {
            #expect(history().faults(log: log) == [])
        }
        var history = history()
        history.read(value("b"), from: at(5), to: at(6))
        history.read(value("a"), from: at(3), to: at(4))
        #expect(history.faults(log: log("first", "a", "b")) == [])
    }

    @Test(arguments: [
        (["first", "a"], "b was acknowledged and is lost"),
        (["first", "b", "a"], "a was acknowledged before shop: b was asked for"),
        (["first", "c", "a", "b"], "a was acknowledged before shop: c was asked for"),
        (["first", "a", "b", "a"], "a is recorded twice"),
        (["first", "a", "b", "d"], "d is recorded, and nobody asked for it"),
    ])
    func `an impossible log is found`(log: [String], fault: String) {
        let faults = history().faults(log: log.map(value))
        #expect(faults.contains { $0.contains(fault) }, "\(faults)")
    }

    @Test func `a reading that is stale, from the future, of nothing, or goes back is found`() {
        let order = log("first", "a", "c", "b")
        func faults(_ readings: (String, Int, Int)...) -> [String] {
            var history = history()
            for (text, begun, ended) in readings { history.read(value(text), from: at(begun), to: at(ended)) }
            return history.faults(log: order)
        }
        #expect(faults(("a", 5, 6)) == ["shop: a was read after b was acknowledged"])
        #expect(faults(("b", 1, 2)) == ["shop: b was read before anybody asked for it"])
        #expect(faults(("d", 5, 6)) == ["shop: d was read and is not recorded"])
        #expect(faults(("c", 3, 3), ("a", 4, 5)) == ["shop: a was read after c was read"])
    }
}
