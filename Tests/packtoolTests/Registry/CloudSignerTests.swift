import Foundation
import PackJSON
import TestSupport
import Testing

/// The signers of `packtool init` for the KMS of a cloud, with stand-ins for the clouds' commands that take only what is documented.
@Suite(.onFolder) struct CloudSignerTests {
    struct Cloud: CustomTestStringConvertible, Sendable {
        let template: String
        let variable: String
        let name: String
        var form = "der"
        /// What its command says of a key that is not there.
        let fault: String

        var testDescription: String { "\(template) \(form)" }
        var script: String { "\(template).sh" }
    }

    private static let version = "projects/acme/locations/europe-west1/keyRings/ci/cryptoKeys/shop/cryptoKeyVersions/1"
    private static let clouds = [
        Cloud(
            template: "sign-aws-kms", variable: "AWS_KMS_KEY",
            name: "arn:aws:kms:eu-central-1:111122223333:key/1234abcd",
            fault: "NotFoundException"),
        Cloud(template: "sign-gcp-kms", variable: "GCP_KMS_KEY", name: version, fault: "NOT_FOUND"),
        Cloud(template: "sign-gcp-kms", variable: "GCP_KMS_KEY", name: version, form: "base64", fault: "NOT_FOUND"),
    ]

    /// A machine of CI, on which a cloud's command is a stand-in with a key.
    private static func machine(_ cloud: Cloud, _ registry: LiveRegistry) async throws -> Tool {
        let tool = try Tool()
        let commands = Tool.project.appendingPathComponent("Tests/Tools/clouds").path
        tool.environment.merge([
            "PATH": "\(commands):\(tool.environment["PATH"] ?? "")", cloud.variable: cloud.name,
            "STAND_IN_KEY": "\(tool.folder.path)/cloud.pem", "STAND_IN_NAME": cloud.name, "STAND_IN_FORM": cloud.form,
            "PACKTOOL_KEY": "command:sh \(cloud.script)", "PACKTOOL_REGISTRY": registry.url,
            "PACKTOOL_TOKEN": try await registry.token("--publish", "--release"),
        ]) { $1 }
        try tool.write([
            ".packtool/root.json": String(decoding: registry.tool.read(".packtool/root.json"), as: UTF8.self)
        ])
        try await tool.shell("openssl ecparam -name prime256v1 -genkey -noout -out cloud.pem").expectSuccess()
        try await tool.run("init", "--template", cloud.template).expectSuccess()
        return tool
    }

    private static func build(_ tool: Tool, _ version: String) async throws -> String {
        try tool.write(["dist/index.html": "<title>\(version)</title><script>packtool.confirm()</script>"])
        try await tool.run("build", "dist", "--package", "shop", "--package-version", version).expectSuccess()
        return "packages/shop-\(version).zip"
    }

    @Test(arguments: clouds)
    func `a key in a cloud publishes, and nothing is signed with another one`(cloud: Cloud) async throws {
        let registry = try await LiveRegistry()
        let tool = try await Self.machine(cloud, registry)
        let key = try await tool.shell("sh \(cloud.script) public-key").expectSuccess().standardOutput
        let own = try await tool.shell("openssl pkey -in cloud.pem -pubout").expectSuccess().standardOutput
        #expect(key == own)
        try registry.tool.write(["publisher.pub.pem": key])
        try await registry.tool.run("keys", "delegate", "shop", "--key", "publisher.pub.pem").expectSuccess()

        let zip = try await Self.build(tool, "1.0.0")
        try await tool.run("publish", zip, "--channel", "beta").expectSuccess()
        let verified = try await registry.tool.run("verify", "shop@1.0.0", "--registry", registry.folder)
            .expectSuccess()
        #expect(verified.standardOutput.contains("valid, shop 1.0.0"), "\(verified)")
        let status = try await registry.tool.run("status", "--channel", "beta").expectSuccess()
        #expect(status.standardOutput.contains("1.0.0"), "\(status)")

        // The cloud has no such key, or another one than the owner named.
        let next = try await Self.build(tool, "1.1.0")
        let missing = try await tool.run("publish", next, "--channel", "beta", environment: ["STAND_IN_NAME": "other"])
        expectClearError(missing, naming: [cloud.fault, "the command sh ended with status"])
        try await tool.shell("openssl ecparam -name prime256v1 -genkey -noout -out cloud.pem").expectSuccess()
        let other = try await tool.run("publish", next, "--channel", "beta")
        expectClearError(other, naming: ["shop", "may"])
        let unset = try await tool.run("publish", next, "--channel", "beta", environment: [cloud.variable: ""])
        expectClearError(unset, naming: [cloud.variable])
        #expect(try await !registry.tool.run("status").expectSuccess().standardOutput.contains("1.1.0"))
    }

    /// Without this the test above would say nothing of the arguments that the scripts give.
    @Test(arguments: [
        "aws kms sign --key-id k --message x --signing-algorithm ECDSA_SHA_256 --digest sha256",
        "aws kms sign --key-id k --message x --message-typ DIGEST --signing-algorithm ECDSA_SHA_256",
        "aws kms sign --key-id k --message fileb://digest --message-type HASH --signing-algorithm ECDSA_SHA_256",
        "aws kms sign --key-id k --message fileb://digest --message-type DIGEST --signing-algorithm ECDSA_SHA_256",
        "aws kms sign --key-id k --message fileb://digest --signing-algorithm ECDSA_SHA_384",
        "aws kms get-public-key k", "aws kms get-public-key --key-id k --format pem", "aws signer sign --key-id k",
        "gcloud kms asymmetric-sign --version k --digest-algorithm sha256 --input-file digest --signature-file s",
        "gcloud kms keys versions get-public-key k --output-file /dev/stdout", "gcloud kms sign --version k",
    ])
    func `the stand-in of a cloud refuses what the cloud does not document`(command: String) async throws {
        let tool = try Tool()
        try tool.write(["digest": "no digest"])
        let refused = try await tool.shell(
            "export PATH='\(Tool.project.path)/Tests/Tools/clouds':\"$PATH\"; \(command)",
            environment: ["STAND_IN_KEY": "none", "STAND_IN_NAME": "k", "STAND_IN_FORM": "der"])
        #expect([1, 2, 252, 254].contains(refused.exitCode) && refused.standardOutput.isEmpty, "\(refused)")
        #expect(!refused.standardError.contains("Traceback"), "\(refused)")
    }
}
