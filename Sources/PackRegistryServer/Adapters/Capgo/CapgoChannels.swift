import Hummingbird
import PackFormat
import PackJSON
import PackRegistryAPI

/// The channels that an app may choose for itself: all that offer the package, as `/v1/update` answers for all of them.
///
/// The client keeps the choice and names it at every check, so the server keeps nothing.
struct CapgoChannels: Sendable {
    let tools: AdapterTools

    func list(of package: PackageID) async throws -> Response {
        var offering: [JSONValue] = []
        for channel in try await tools.channels(offering: package) {
            offering.append(
                .object([
                    // Clients read it as a number.
                    "id": .integer(offering.count + 1), "name": .string(channel.text),
                    "public": .bool(channel == tools.settings.channel), "allow_self_set": true,
                ]))
        }
        return .adapterJSON(JSONValue.array(offering).compactText)
    }

    func choose(_ channel: ChannelName, of package: PackageID) async throws -> Response {
        try await check(channel, of: package)
        guard channel != tools.settings.channel else {
            return .adapterJSON(["status": "ok", "unset": true])
        }
        return .adapterJSON(["status": "ok"])
    }

    func tell(_ channel: ChannelName, of package: PackageID) async throws -> Response {
        try await check(channel, of: package)
        return .adapterJSON(
            [
                "channel": .string(channel.text), "allowSet": true,
                "status": channel == tools.settings.channel ? "default" : "override",
            ])
    }

    private func check(_ channel: ChannelName, of package: PackageID) async throws {
        guard try await tools.offers(package, on: channel) else {
            throw Problem(
                .badRequest, kind: "channel_not_found", "the channel \(channel) offers no version of \(package)")
        }
    }
}
