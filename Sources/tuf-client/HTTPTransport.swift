import Foundation
import PackTrust

/// Fetches over plain HTTP with blocking calls, one connection a request: no timer, no run loop, no thread of its
/// own.
struct HTTPTransport: TrustTransport {
    let metadata: HTTPAddress
    /// Nil if no target is fetched.
    let targets: HTTPAddress?
    var patience = HTTPConnection.Patience()

    func fetch(_ path: String, maximumByteCount: Int) async throws -> [UInt8]? {
        let address: HTTPAddress
        let name: String
        if path.hasPrefix(RepositoryPath.metadataFolder) {
            (address, name) = (metadata, String(path.dropFirst(RepositoryPath.metadataFolder.count)))
        } else if let targets, path.hasPrefix(RepositoryPath.targetsFolder) {
            (address, name) = (targets, String(path.dropFirst(RepositoryPath.targetsFolder.count)))
        } else {
            throw TrustError.transport(name: path, reason: "its base URL is not known")
        }
        do {
            var connection = try HTTPConnection(to: address, patience: patience)
            let response = try connection.get(
                address.path + RepositoryPath.urlPath(name), host: address.authority,
                maximumByteCount: maximumByteCount)
            switch response.status {
            case 200: return response.body
            // Object stores answer 403 for what they do not have.
            case 403, 404: return nil
            default: throw TrustError.transport(name: path, reason: "the server answered \(response.status)")
            }
        } catch let fault as HTTPConnection.Fault {
            if case .tooLarge = fault { throw TrustError.tooLarge(name: path, limit: maximumByteCount) }
            throw TrustError.transport(name: path, reason: fault.description)
        }
    }
}
