import Foundation

@testable import PackRegistry

struct HeldLease: Hashable, Sendable {
    let number: Int
    let holder: String
    /// nil: it was released.
    var expires: Date?
}

extension MemoryRegistryStore: LeaseStore {
    func acquire(_ name: Lease.Name, for duration: Duration, as holder: String) async throws -> Lease? {
        withState { state in
            let now = clock()
            if let expires = state.leases[name]?.expires, expires > now { return nil }
            let number = (state.leases[name]?.number ?? 0) + 1
            state.leases[name] = HeldLease(number: number, holder: holder, expires: now + duration / .seconds(1))
            return Lease(name, number: number)
        }
    }

    func renew(_ lease: Lease, for duration: Duration) async throws {
        try withState { state in
            guard let held = state.leases[lease.name], held.number == lease.number, held.expires != nil else {
                throw LostLease(lease.name)
            }
            state.leases[lease.name]?.expires = clock() + duration / .seconds(1)
        }
    }

    func release(_ lease: Lease) async throws {
        withState { state in
            if state.leases[lease.name]?.number == lease.number { state.leases[lease.name]?.expires = nil }
        }
    }

    func holder(of name: Lease.Name) async throws -> String? {
        let held = state.leases[name]
        return held?.expires.map { $0 > clock() } == true ? held?.holder : nil
    }
}

extension MemoryRegistryStore.State {
    func require(_ lease: Lease, now: Date) throws {
        guard let held = leases[lease.name], held.number == lease.number, let expires = held.expires, expires > now
        else {
            throw LostLease(lease.name)
        }
    }
}
