import Foundation
import PackTrust
import Testing

struct DelegationTests {
    struct Graph: Sendable, CustomTestStringConvertible {
        var name: String
        /// Delegator, role, paths, terminating.
        var edges: [(String, String, [String], Bool)]
        /// The roles in the order in which a search for `missing` reads them.
        var visits: [String]

        var testDescription: String { name }
    }

    static let graphs: [Graph] = [
        Graph(name: "one", edges: [("targets", "A", ["*"], false)], visits: ["A"]),
        Graph(
            name: "in the order of appearance",
            edges: [("targets", "C", ["*"], false), ("targets", "A", ["*"], false), ("targets", "B", ["*"], false)],
            visits: ["C", "A", "B"]),
        Graph(
            name: "children before siblings",
            edges: [
                ("targets", "A", ["*"], false), ("targets", "B", ["*"], false), ("A", "C", ["*"], false),
                ("A", "D", ["*"], false), ("B", "E", ["*"], false),
            ], visits: ["A", "C", "D", "B", "E"]),
        Graph(
            name: "a terminating role ends the search behind it",
            edges: [("targets", "A", ["*"], true), ("targets", "B", ["*"], false), ("A", "C", ["*"], false)],
            visits: ["A", "C"]),
        Graph(
            name: "a terminating grandchild ends everything",
            edges: [
                ("targets", "A", ["*"], false), ("targets", "B", ["*"], false), ("A", "C", ["*"], true),
                ("A", "D", ["*"], false),
            ], visits: ["A", "C"]),
        Graph(
            name: "a terminating role that does not match ends nothing",
            edges: [("targets", "A", ["other"], true), ("targets", "B", ["*"], false)], visits: ["B"]),
        Graph(
            name: "a role reached twice is read once",
            edges: [
                ("targets", "A", ["*"], false), ("targets", "B", ["*"], false), ("A", "C", ["*"], false),
                ("B", "C", ["*"], false),
            ], visits: ["A", "C", "B"]),
        Graph(
            name: "a circle ends",
            edges: [("targets", "A", ["*"], false), ("A", "B", ["*"], false), ("B", "A", ["*"], false)],
            visits: ["A", "B"]),
        Graph(
            name: "every link must match the path",
            edges: [("targets", "A", ["x/*"], false), ("A", "B", ["*"], false), ("targets", "C", ["mis*"], false)],
            visits: ["C"]),
    ]

    @Test(arguments: graphs)
    func `delegations are searched depth first in the order of trust`(graph: Graph) async throws {
        let device = try TrustFixture()
        for (delegator, role, paths, isTerminating) in graph.edges {
            try device.repository.delegate(from: delegator, to: role, paths: paths, isTerminating: isTerminating)
        }
        try device.repository.publishNext()
        try await device.refresh()
        _ = device.server.takeRequests()
        #expect(try await device.targetInfo("missing") == nil)
        let roles = device.server.takeRequests().dropFirst(2)
        #expect(Array(roles) == graph.visits.map { "metadata/1.\($0).json" })
        // Stored and verified again, not fetched again.
        #expect(try await device.targetInfo("missing") == nil)
        #expect(device.server.takeRequests() == ["metadata/2.root.json", "metadata/timestamp.json"])
    }

    @Test func `the first role in the order of trust wins`() async throws {
        let device = try TrustFixture()
        try device.repository.delegate(to: "A")
        try device.repository.delegate(to: "B")
        device.repository.add("both", "of A", to: "A")
        device.repository.add("both", "of B", to: "B")
        device.repository.add("own", "of B", to: "B")
        try device.repository.publishNext()
        #expect(try await device.target("both") == "of A")
        #expect(try await device.target("own") == "of B")
        #expect(try await device.client().roleListing("own") == "B")
    }

    @Test func `a stored role is verified again against the delegation by which it is reached`() async throws {
        let device = try TrustFixture()
        try device.repository.delegate(to: "A", paths: ["a"])
        try device.repository.delegate(to: "B", paths: ["b"])
        try device.repository.delegate(from: "A", to: "shared", paths: ["*"])
        // B names the same role with a key that did not sign it.
        try device.repository.delegate(
            from: "B", to: "shared", paths: ["*"], key: try PrivateKey.generate(.ed25519))
        device.repository.add("a", "A", to: "shared")
        device.repository.add("b", "B", to: "shared")
        try device.repository.publishNext()
        let client = device.client()
        #expect(try await client.targetInfo("a") != nil)
        await #expect(throws: TrustError.threshold(role: "shared", valid: 0, needed: 1)) {
            try await client.targetInfo("b")
        }
        await #expect(throws: TrustError.threshold(role: "shared", valid: 0, needed: 1)) {
            try await device.targetInfo("b")
        }
        #expect(try await device.targetInfo("a") != nil)
    }

    @Test func `a role whose delegation lost its key is no longer taken from the store`() async throws {
        let device = try TrustFixture()
        try device.repository.delegate(to: "A")
        device.repository.add("x", "X", to: "A")
        try device.repository.publishNext()
        #expect(try await device.target("x") == "X")
        let stolen = try #require(device.repository.signers["A"])
        try device.repository.delegate(to: "A", key: try PrivateKey.generate(.ed25519))
        device.repository.signers["A"] = stolen
        try device.repository.publishNext()
        await #expect(throws: TrustError.threshold(role: "A", valid: 0, needed: 1)) {
            try await device.targetInfo("x")
        }
    }

    @Test func `path hash prefixes select by the hash of the path`() async throws {
        // The SHA-256 of "a.txt" begins with 18b7, that of "b.txt" with ffa0.
        let device = try TrustFixture()
        try device.repository.delegate(to: "neighbour", scope: .pathHashPrefixes(["18b8", "ffa1", "18B7"]))
        try device.repository.delegate(to: "low", scope: .pathHashPrefixes(["0", "18b7"]))
        try device.repository.delegate(to: "high", scope: .pathHashPrefixes(["f"]))
        for role in ["neighbour", "low", "high"] {
            for path in ["a.txt", "b.txt"] { device.repository.add(path, "\(path) of \(role)", to: role) }
        }
        try device.repository.publishNext()
        #expect(try await device.target("a.txt") == "a.txt of low")
        #expect(try await device.target("b.txt") == "b.txt of high")
    }

    @Test func `a role that targets delegates under a top-level name is refused`() async throws {
        for name in ["root", "timestamp", "snapshot", "targets", ""] {
            #expect(throws: TrustError.self) {
                try DelegatedRole(name: name, roleKeys: RoleKeys([]), scope: .paths(["*"]))
            }
        }
    }
}
