import Dispatch
import Foundation
import Synchronization
import Testing

@testable import PackWeb

@testable import PackWebOnline

struct TransferGateTests {
    private func passed(_ events: [TransferEvent]) -> String {
        let log = Mutex("")
        let gate = TransferGate { event in
            log.withLock { log in
                switch event {
                case .response: log += "r"
                case .data: log += "d"
                case .finished: log += "f"
                case .failed: log += "x"
                }
            }
        }
        for event in events { gate.pass(event) }
        return log.withLock { $0 }
    }

    private let head = TransferEvent.response(TransferHead(status: 200, headers: [:]))
    private let data = TransferEvent.data(Data([1]))
    private let failure = TransferEvent.failed(URLError(.timedOut))

    @Test func `events pass in their order, once`() {
        #expect(passed([head, data, data, .finished]) == "rddf")
        #expect(passed([head, head, data, head, .finished, .finished, failure, data, head]) == "rdf")
        #expect(passed([failure, head, data, .finished]) == "x")
        #expect(passed([data, head]) == "x")
        #expect(passed([.finished]) == "x")
        #expect(passed([head, failure, .finished]) == "rx")
    }

    @Test func `any order of events gives one legal run`() throws {
        let legal = try Regex("(r(d*)(f|x)?|x)?")
        for _ in 0..<2_000 {
            let events = (0..<Int.random(in: 0...8)).compactMap { _ in
                [head, data, TransferEvent.finished, failure].randomElement()
            }
            #expect(passed(events).wholeMatch(of: legal) != nil)
        }
    }

    @Test func `a client that stops its request from inside a call hears nothing more`() {
        let gate = Mutex<TransferGate?>(nil)
        let heard = Mutex(0)
        let stopping = TransferGate { _ in
            heard.withLock { $0 += 1 }
            let gate = gate.withLock { $0 }
            #expect(gate?.stop() == true)
            #expect(gate?.stop() == false)
        }
        gate.withLock { $0 = stopping }
        #expect(!stopping.pass(head))
        #expect(!stopping.pass(data))
        #expect(heard.withLock { $0 } == 1)
        #expect(!stopping.isOpen)
        gate.withLock { $0 = nil }
    }

    @Test func `a stop returns after the call that is under way`() {
        let began = DispatchSemaphore(value: 0)
        let isOver = Mutex(false)
        let gate = TransferGate { _ in
            began.signal()
            Thread.sleep(forTimeInterval: 0.05)
            isOver.withLock { $0 = true }
        }
        let event = head
        DispatchQueue.global().async { gate.pass(event) }
        began.wait()
        #expect(gate.stop())
        #expect(isOver.withLock { $0 })
    }
}
