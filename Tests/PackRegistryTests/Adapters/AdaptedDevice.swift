import Foundation
import PackFormat
import PackJSON
import Testing

@testable import PackRegistryAPI
@testable import PackRegistryServer

/// A device with the client of another system: how it asks what to run of checkout, and how it reads the answer.
struct AdaptedDevice {
    var id = "d1"
    var app = "3.2.0"
    /// The version that runs; nil: what the app brought.
    var running: String?

    /// Whether clients say which device they are on.
    static func hasName(_ kind: AdapterKind) -> Bool { kind != .chcp }

    /// The version that the device is to run from now on; nil: it keeps what it runs.
    func update(by kind: AdapterKind, _ server: RunningServer, _ adapted: AdaptedShop) async throws -> String? {
        let offered =
            switch kind {
            case .capawesome: try await byCapawesome(server)
            case .capgo: try await byCapgo(server)
            case .chcp: try await byChcp(server)
            case .codepush: try await byCodePush(server, adapted)
            case .ionic: try await byIonic(server, adapted)
            case .offline: try await byList(server)
            }
        // Some clients are told what they run, and compare.
        return offered == running ? nil : offered
    }

    private func byCapawesome(_ server: RunningServer) async throws -> String? {
        let path = CapawesomeTests.path(device: id, running: running.map { "=\($0)" } ?? "", app: app)
        let answer = try await CapawesomeTests.check(server, path)
        guard answer.status == 200 else {
            #expect(answer.status == 404, "\(answer)")
            return nil
        }
        return try CapawesomeTests.fields(answer).string("bundleId")
    }

    private func byCapgo(_ server: RunningServer) async throws -> String? {
        let device = CapgoTests.device(
            id, running: running ?? "builtin", plugin: "8.51.14", also: ["version_build": .string(app)])
        let answer = try await CapgoTests.check(server, device)
        #expect(answer.status == 200, "\(answer)")
        return try CapgoTests.fields(answer).looseText("version")
    }

    private func byChcp(_ server: RunningServer) async throws -> String? {
        let answer = try await server.ask("GET", ChcpTests.base + "chcp.json")
        guard answer.status == 200 else {
            #expect(answer.status == 404, "\(answer)")
            return nil
        }
        return try String(JSONValue(parsing: answer.body).object().string("release").prefix { $0 != "-" })
    }

    private func byCodePush(_ server: RunningServer, _ adapted: AdaptedShop) async throws -> String? {
        let own = try running.map { try CodePushTests.running($0, adapted) } ?? ""
        let info = try await CodePushTests.info(CodePushTests.check(server, own, app: app, device: id))
        return try info.bool("is_available") ? info.string("label") : nil
    }

    private func byIonic(_ server: RunningServer, _ adapted: AdaptedShop) async throws -> String? {
        let snapshot = running.flatMap { adapted.sites[$0]?.digest.hex.prefix(32) }.map { String($0) }
        let data = try await IonicTests.data(
            IonicTests.check(server, device: .string(id), snapshot: snapshot, app: app))
        guard try data.bool("available") else { return nil }
        let parts = try data.string("url").split(separator: "/").map { String($0) }
        return try parts.drop { $0 != "checkout" }.dropFirst().first.map { try SemanticVersion($0).description }
    }

    private func byList(_ server: RunningServer) async throws -> String? {
        let answer = try await server.ask("GET", "/offline/manifest.json?channel=beta&device=\(id)&app=\(app)")
        #expect(answer.status == 200, "\(answer)")
        let packages = try JSONValue(parsing: answer.body).object().array("business").map { try $0.object() }
        return try packages.first { $0.looseText("package") == "checkout" }?.string("version")
    }
}
