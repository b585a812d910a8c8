import Foundation
import PackFormat

struct TrustedTargets {
    init(layout: StoreLayout, root: [UInt8]?, transport: any UpdateTransport, now: @escaping @Sendable () -> Date) throws {
        throw UpdateError.noRoot
    }
}
extension TrustedTargets: SignedTargets {
    func refresh() async throws {}
    func file(_ path: String) async throws -> SignedFile? { nil }
    func target(_ path: String, maximumByteCount: Int) async throws -> [UInt8] { [] }
}
