import Foundation
import Glibc
import Testing

@testable import PackRegistryLocal

/// The thread on which reports are stored.
struct PatientThreadTests {
    private static var niceness: CInt { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

    @Test func `the work has a thread of its own with a lower priority, and nobody else's is lowered`() async {
        let before = Self.niceness
        let inside = await withCheckedContinuation { answer in
            PatientThread.run("patient") { answer.resume(returning: Self.niceness) }
        }
        #expect(inside == min(before + 5, 19))
        let again = await withCheckedContinuation { answer in
            Thread { answer.resume(returning: Self.niceness) }.start()
        }
        #expect(again == before)
    }
}
