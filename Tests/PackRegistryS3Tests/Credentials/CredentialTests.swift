import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PackRegistryAPI
@testable import PackRegistryS3

@Suite("CredentialTests") struct CredentialTests {
    private static let connections = try! HTTPConnections(count: 2, connecting: .seconds(1), silence: .seconds(2))
    private static let isOff = ["AWS_EC2_METADATA_DISABLED": "true"]

    private static func chain(
        _ environment: [String: String], now: @escaping @Sendable () -> Date = { Date() }
    ) -> CredentialChain { CredentialChain(environment: environment, connections, now: now) }

    private static func file(_ text: String) throws -> URL {
        let file = FileManager.default.temporaryDirectory.appending(path: "credentials-\(UUID().uuidString)")
        try Data(text.utf8).write(to: file)
        return file
    }

    private static func document(_ keyID: String, until end: String) -> [UInt8] {
        let text = """
            {"Code": "Success", "LastUpdated": "2026-01-01T00:00:00Z", "Type": "AWS-HMAC", "AccessKeyId": "\(keyID)",
             "SecretAccessKey": "secret", "Token": "token", "Expiration": "\(end)"}
            """
        return Array(text.utf8)
    }

    @Test func `the environment comes first`() async throws {
        let file = try Self.file("[default]\naws_access_key_id = F\naws_secret_access_key = G\n")
        defer { try? FileManager.default.removeItem(at: file) }
        let environment = [
            "AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "B", "AWS_SESSION_TOKEN": "",
            "AWS_SHARED_CREDENTIALS_FILE": file.path,
        ]
        #expect(try await Self.chain(environment).credentials() == S3Credentials(keyID: "A", secret: "B"))
        let half = await #expect(throws: RegistryError.self) {
            try await Self.chain(["AWS_ACCESS_KEY_ID": "A"]).credentials()
        }
        #expect(half?.message.contains("AWS_SECRET_ACCESS_KEY") == true)
    }

    @Test func `the shared file has sections, comments and spaces`() async throws {
        let file = try Self.file(
            """
            # mine
            [default]
            aws_access_key_id=F
            aws_secret_access_key = G/+=
            ; [other]
            [ work ]
            AWS_Access_Key_ID = W
            aws_secret_access_key = X
            aws_session_token = Y
            [half]
            aws_access_key_id = H
            role_arn = arn:aws:iam::1:role/x
            """)
        defer { try? FileManager.default.removeItem(at: file) }
        var environment = Self.isOff
        environment["AWS_SHARED_CREDENTIALS_FILE"] = file.path
        #expect(try await Self.chain(environment).credentials() == S3Credentials(keyID: "F", secret: "G/+="))
        environment["AWS_PROFILE"] = "work"
        let work = S3Credentials(keyID: "W", secret: "X", sessionToken: "Y")
        #expect(try await Self.chain(environment).credentials() == work)
        for profile in ["half", "none"] {
            environment["AWS_PROFILE"] = profile
            let error = await #expect(throws: RegistryError.self) { try await Self.chain(environment).credentials() }
            #expect(error?.kind == .unusable && error?.message.contains(profile) == true)
        }
        environment["AWS_SHARED_CREDENTIALS_FILE"] = file.path + ".none"
        await #expect(throws: RegistryError.self) { try await Self.chain(environment).credentials() }
    }

    @Test func `the file in the home folder is found, and read again when its key is refused`() async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "home-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: home) }
        try FileManager.default.createDirectory(
            at: home.appending(path: ".aws"), withIntermediateDirectories: true)
        func write(_ keyID: String) throws {
            try Data("[default]\naws_access_key_id = \(keyID)\naws_secret_access_key = S\n".utf8)
                .write(to: home.appending(path: ".aws/credentials"))
        }
        try write("old")
        let chain = Self.chain(Self.isOff.merging(["HOME": home.path]) { $1 })
        let old = try await chain.credentials()
        #expect(old.keyID == "old")
        try write("new")
        #expect(try await chain.credentials() == old)
        await chain.forget(S3Credentials(keyID: "other", secret: "S"))
        #expect(try await chain.credentials() == old)
        await chain.forget(old)
        #expect(try await chain.credentials().keyID == "new")
        #expect(await chain.origin.contains(".aws/credentials"))
    }

    @Test func `a machine's role is asked for by version 2, and again shortly before its end`() async throws {
        let served = Mutex(0)
        let server = try await LoopbackServer { request in
            switch (request.method, request.path) {
            case ("PUT", "/latest/api/token"):
                guard request.field("x-aws-ec2-metadata-token-ttl-seconds") != nil else { return .answer(400) }
                return .answer(200, body: Array("TOKEN".utf8))
            case ("GET", _) where request.field("x-aws-ec2-metadata-token") != "TOKEN": return .answer(401)
            case ("GET", "/latest/meta-data/iam/security-credentials/"):
                return .answer(200, body: Array("the-role\n".utf8))
            case ("GET", "/latest/meta-data/iam/security-credentials/the-role"):
                let number = served.withLock { count in
                    count += 1
                    return count
                }
                return .answer(200, body: Self.document("K\(number)", until: "2026-06-01T0\(number):00:00Z"))
            default: return .answer(404)
            }
        }
        let environment = ["AWS_EC2_METADATA_SERVICE_ENDPOINT": server.endpoint + "/"]
        let time = Mutex(Date(timeIntervalSince1970: 1_780_272_000))  // 2026-06-01 00:00 UTC
        let chain = Self.chain(environment) { time.withLock { $0 } }
        // Many ask, and one request goes out.
        let found = try await withThrowingTaskGroup(of: S3Credentials.self) { group in
            for _ in 1...10 { group.addTask { try await chain.credentials() } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(found.map(\.keyID) == ["K1"] && found.first?.sessionToken == "token")
        time.withLock { $0.addTimeInterval(54 * 60) }
        #expect(try await chain.credentials().keyID == "K1")
        time.withLock { $0.addTimeInterval(2 * 60) }
        #expect(try await chain.credentials().keyID == "K2")
        // An endpoint that is away for a moment does no harm before the end, and after it there is an error.
        server.stop()
        time.withLock { $0.addTimeInterval(61 * 60) }
        #expect(try await chain.credentials().keyID == "K2")
        time.withLock { $0.addTimeInterval(5 * 60) }
        await #expect(throws: RegistryError.self) { try await chain.credentials() }
    }

    @Test func `a container's role is asked for with its token`() async throws {
        let server = try await LoopbackServer { request in
            guard request.path == "/role", request.field("Authorization") == "Bearer x" else { return .answer(403) }
            return .answer(200, body: Self.document("C", until: "2099-01-01T00:00:00Z"))
        }
        let token = try Self.file("Bearer x\n")
        defer { try? FileManager.default.removeItem(at: token) }
        var environment = [
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": "\(server.endpoint)/role",
            "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": token.path,
        ]
        #expect(try await Self.chain(environment).credentials().keyID == "C")
        environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = nil
        environment["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "wrong"
        let refused = await #expect(throws: RegistryError.self) { try await Self.chain(environment).credentials() }
        #expect(refused?.message.contains("403") == true)
        // The token goes to no other machine in the clear.
        environment["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://example.com/role"
        await #expect(throws: RegistryError.self) { try await Self.chain(environment).credentials() }
    }

    @Test func `an answer that cannot be read is not repeated`() async throws {
        let server = try await LoopbackServer { _ in .answer(200, body: Array("{\"SecretAccessKey\": \"s3cret\"".utf8))
        }
        let environment = ["AWS_CONTAINER_CREDENTIALS_FULL_URI": "\(server.endpoint)/role"]
        let error = await #expect(throws: RegistryError.self) { try await Self.chain(environment).credentials() }
        #expect(error?.message.contains("s3cret") == false)
    }

    @Test func `without any the places are named`() async throws {
        let error = await #expect(throws: RegistryError.self) { try await Self.chain(Self.isOff).credentials() }
        #expect(error?.kind == .unusable)
        #expect(error?.message.contains("AWS_ACCESS_KEY_ID") == true)
    }
}
