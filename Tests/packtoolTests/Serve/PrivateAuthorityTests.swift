import Foundation
import PackJSON
import Testing

/// A registry whose certificate a private authority has signed, made by openssl.
struct PrivateAuthorityTests {
    /// `company.pem` has signed the certificate of the server, which is made out to `localhost` only; `other.pem` has not.
    /// - Parameter flags: more of `packtool serve`.
    private static func secured(_ flags: [String] = []) async throws -> (tool: Tool, server: RunningTool, port: String)
    {
        let tool = try Tool()
        try tool.write(["dist/index.html": "<!doctype html><title>x</title>"])
        let made = try await tool.shell(
            """
            curve='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
            for name in company other; do
                openssl req -x509 $curve -keyout $name.key -out $name.pem -days 2 -subj "/CN=$name" \
                    -addext keyUsage=critical,keyCertSign 2>/dev/null
            done
            openssl req $curve -keyout key.pem -out request.pem -subj /CN=server 2>/dev/null
            echo subjectAltName=DNS:localhost >names
            openssl x509 -req -in request.pem -CA company.pem -CAkey company.key -CAcreateserial -days 2 \
                -extfile names -out cert.pem 2>/dev/null
            """)
        try #require(made.exitCode == 0, "\(made)")
        for arguments in [
            ["init", "--template", "config"], ["build", "dist", "--package", "shop", "--package-version", "1.0.0"],
            ["publish", "packages/shop-1.0.0.zip", "--channel", "stable"],
        ] {
            let outcome = try await tool.run(arguments)
            try #require(outcome.exitCode == 0, "\(outcome)")
        }
        let server = try tool.start(
            ["serve", "--port", "0", "--tls-certificate", "cert.pem", "--tls-key", "key.pem"] + flags)
        let line = try #require(await server.line(holding: "https://127.0.0.1:"), "it did not start")
        return (tool, server, try String(#require(line.split(separator: ":").last)))
    }

    private static func update(_ store: String, _ registry: String) -> [String] {
        [
            "client", "update", "--store", store, "--root", ".packtool/root.json", "--registry", registry, "--timeout",
            "5",
        ]
    }

    @Test func `the authority is given by an option or a variable, to publishers and devices alike`() async throws {
        let (tool, server, port) = try await Self.secured()
        defer { server.kill(SIGKILL) }
        let registry = "https://localhost:\(port)"
        let status = try await tool.run("status", "--registry", registry, "--ca", "company.pem")
        #expect(status.exitCode == 0 && status.standardOutput.contains("shop"), "\(status)")
        let device = try await tool.run(
            Self.update("one", registry), environment: ["PACKTOOL_CA": tool.folder.path + "/company.pem\n"])
        #expect(device.standardOutput.contains("shop 1.0.0 is active"), "\(device)")
        // The option goes before the variable; a file may hold several.
        try tool.write([
            "both.pem": "text\n"
                + ["other.pem", "company.pem"].map { String(decoding: try tool.read($0), as: UTF8.self) }.joined()
        ])
        let both = try await tool.run(
            Self.update("two", registry) + ["--ca", "both.pem"], environment: ["PACKTOOL_CA": "nowhere.pem"])
        #expect(both.standardOutput.contains("shop 1.0.0 is active"), "\(both)")
        let token = try await tool.run("token", "create", "ci", "--publish", "--release", "--channel", "beta", "--json")
        try tool.write(["dist/index.html": "<!doctype html><title>y</title>"])
        let built = try await tool.run("build", "dist", "--package", "shop", "--package-version", "1.1.0")
        #expect(built.exitCode == 0, "\(built)")
        let published = try await tool.run(
            "publish", "packages/shop-1.1.0.zip", "--channel", "beta", "--new-channel", "--registry", registry, "--ca",
            "company.pem",
            environment: ["PACKTOOL_TOKEN": token.json().object().string("token")])
        #expect(published.exitCode == 0, "\(published)")
    }

    @Test
    func `without the authority, with another one and for another name nothing is accepted, and it is said what to do`()
        async throws
    {
        let (tool, server, port) = try await Self.secured()
        defer { server.kill(SIGKILL) }
        let registry = "https://localhost:\(port)"
        for arguments in [[], ["--ca", "other.pem"]] {
            let status = try await tool.run(["status", "--registry", registry] + arguments)
            #expect(status.exitCode == 1 && status.standardOutput.isEmpty, "\(status)")
            #expect(status.errorLine?.hasPrefix("error: the certificate of \(registry) is not accepted (") == true)
            #expect(
                status.errorLine?.hasSuffix(
                    "): if it is of a private authority, give that with --ca FILE or PACKTOOL_CA, or put it into the "
                        + "system's list (/usr/local/share/ca-certificates/NAME.crt, then update-ca-certificates)")
                    == true,
                "\(status)")
        }
        let device = try await tool.run(Self.update("one", registry) + ["--ca", "other.pem"])
        #expect(device.exitCode == 1 && device.errorLine?.contains("give that with --ca FILE or PACKTOOL_CA") == true)
        // The certificate does not name the address.
        for arguments in [
            ["status", "--registry", "https://127.0.0.1:\(port)"], Self.update("two", "https://127.0.0.1:\(port)"),
        ] {
            let outcome = try await tool.run(arguments + ["--ca", "company.pem"])
            #expect(outcome.exitCode == 1, "\(outcome)")
            #expect(
                outcome.errorLine?.contains(": it is for another host: use a name that it contains") == true,
                "\(outcome)")
        }
    }

    @Test func `a file without a certificate is refused before anything is sent`() async throws {
        let tool = try Tool()
        try tool.write(["empty.pem": "", "key.pem": "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n"])
        try tool.write(["cut.pem": "-----BEGIN CERTIFICATE-----\nMAQCAQE=\n-----END CERTIFICATE-----\n"])
        let messages = [
            "none.pem": "the file of authorities none.pem cannot be read: check the path in --ca or PACKTOOL_CA",
            "empty.pem": "empty.pem has no certificate in PEM form",
            "key.pem": "key.pem has no certificate in PEM form",
            "cut.pem": "certificate 1 in cut.pem is damaged: copy the file anew",
        ]
        // Nobody listens at port 1: who asks there says so.
        for (file, message) in messages {
            let status = try await tool.run("status", "--registry", "https://127.0.0.1:1", "--ca", file)
            #expect(status.exitCode == 1 && status.errorLine?.hasPrefix("error: \(message)") == true, "\(status)")
        }
        for arguments in [Self.update("one", "https://127.0.0.1:1"), ["preview", "."], ["build", "dist"]] {
            let outcome = try await tool.run(arguments, environment: ["PACKTOOL_CA": "none.pem"])
            #expect(outcome.errorLine?.contains("none.pem cannot be read") == true, "\(outcome)")
        }
    }

    @Test(arguments: [(["--ca", "company.pem"], true), ([], false)])
    func `an issuer of id tokens and a webhook may have a certificate of the authority that serve is given`(
        flags: [String], isTrusted: Bool
    ) async throws {
        let (tool, server, port) = try await Self.secured(["--internal-issuers", "--internal-webhooks"] + flags)
        let issuer = try tool.startScript("issuer.py", "cert.pem", "key.pem")
        defer {
            server.kill(SIGKILL)
            issuer.kill(SIGKILL)
        }
        let line = try #require(await issuer.line(holding: "https://localhost:"), "it did not start")
        let url = line.trimmingCharacters(in: .whitespacesAndNewlines)
        try await tool.run(
            "token", "trust", url, "--audience", "shop", "--claim", "repository=acme/shop", "--name", "ci"
        ).expectSuccess()
        let asked = try await tool.shell(
            "curl -fsS --cacert company.pem -H 'Authorization: bearer job-secret' "
                + "'\(url)/id-token?api-version=2.0&audience=shop'")
        let token = try asked.json().object().string("value")
        let exchanged = try await tool.run(
            "token", "exchange", "--registry", "https://localhost:\(port)", "--ca", "company.pem",
            environment: ["PACKTOOL_ID_TOKEN": token])
        #expect(isTrusted == (exchanged.exitCode == 0), "\(exchanged)")
        #expect(isTrusted == exchanged.standardOutput.hasPrefix("ptk_"), "\(exchanged)")

        // The issuer answers each POST with 501, which reaches only a sender that has accepted its certificate.
        let added = try await tool.run("webhook", "add", url + "/hook").expectSuccess()
        let id = try #require(added.standardOutput.split(separator: " ").first.map(String.init))
        try await tool.run("webhook", "test", id).expectSuccess()
        let end = isTrusted ? "the receiver answered 501" : "its certificate is not accepted: if it is of a private"
        var listed = ""
        for _ in 0..<100 where !listed.contains(end) {
            try await Task.sleep(for: .milliseconds(200))
            listed = try await tool.run("webhook", "list").standardOutput
        }
        #expect(listed.contains(end), "\(listed)")
    }
}
