import Foundation
package import PackFormat
package import PackJSON

/// What a publisher says of how a version was built: an in-toto statement with SLSA's provenance (slsa.dev/provenance/v1). It travels
/// in a signed envelope.
package struct BuildProvenance: Hashable, Sendable {
    /// A file that went into the build, beside the sources.
    package struct Input: Hashable, Sendable {
        package let name: String
        package let digest: Digest

        package init(name: String, digest: Digest) {
            self.name = name
            self.digest = digest
        }
    }

    package static let payloadType = "application/vnd.in-toto+json"
    /// Bytes of an envelope.
    package static let maximumByteCount = 64 << 10
    private static let statementType = "https://in-toto.io/Statement/v1"
    private static let predicateType = "https://slsa.dev/provenance/v1"
    /// What is built how: a web build's folder becomes a package (`docs/FORMAT.md`).
    private static let buildType = "urn:packtool:build:v1"

    /// Such as `shop@1.2.0`.
    package let version: VersionName
    package let manifest: Digest
    /// The repository, such as `git+https://github.com/acme/shop`; nil outside of a CI job.
    package let source: String?
    package let commit: String?
    /// The branch or tag.
    package let ref: String?
    /// The file that defines the job.
    package let workflow: String?
    /// Who ran the build.
    package let builder: String
    /// The run, as a page of the CI system.
    package let invocation: String?
    package let inputs: [Input]

    package init(
        version: VersionName, manifest: Digest, source: String?, commit: String?, ref: String?, workflow: String?,
        builder: String, invocation: String?, inputs: [Input]
    ) {
        self.version = version
        self.manifest = manifest
        self.source = source
        self.commit = commit
        self.ref = ref
        self.workflow = workflow
        self.builder = builder
        self.invocation = invocation
        self.inputs = inputs
    }

    /// Whether somebody can look at what the version was built of: it names the repository and the commit.
    package var namesSources: Bool { source?.isEmpty == false && commit?.isEmpty == false }

    /// The refusal of a statement that says nothing, where the app's owner requires one.
    package static func lacksSources(_ version: VersionName) -> RegistryError {
        RegistryError(
            .invalid,
            "the app's owner wants to know how versions are built, and the provenance of \(version) does not name the repository and "
                + "the commit: publish it from a job of GitHub Actions or GitLab CI, or name them with --source URL and --commit "
                + "COMMIT")
    }

    /// The statement.
    package var json: JSONObject {
        var parameters: JSONObject = [:]
        parameters["source"] = source.map { .string($0) }
        parameters["ref"] = ref.map { .string($0) }
        parameters["workflow"] = workflow.map { .string($0) }
        var materials: [JSONValue] = []
        if let commit {
            materials.append(
                .object(["uri": .string(source ?? "git"), "digest": .object(["gitCommit": .string(commit)])]))
        }
        for input in inputs {
            materials.append(
                .object(["name": .string(input.name), "digest": .object(["sha256": .string(input.digest.hex)])]))
        }
        var metadata: JSONObject = [:]
        metadata["invocationId"] = invocation.map { .string($0) }
        let subject: JSONObject = [
            "name": .string("\(version.package)@\(version.version)"),
            "digest": .object(["sha256": .string(manifest.hex)]),
        ]
        let definition: JSONObject = [
            "buildType": .string(Self.buildType), "externalParameters": .object(parameters),
            "resolvedDependencies": .array(materials),
        ]
        let run: JSONObject = [
            "builder": .object([
                "id": .string(builder), "version": .object(["packtool": .string(ProductVersion.text)]),
            ]), "metadata": .object(metadata),
        ]
        return [
            "_type": .string(Self.statementType), "subject": .array([.object(subject)]),
            "predicateType": .string(Self.predicateType),
            "predicate": .object(["buildDefinition": .object(definition), "runDetails": .object(run)]),
        ]
    }

    /// Reads a statement. Fields that it does not know are left out: SLSA adds some.
    /// - Throws: ``RegistryError`` of the kind `.invalid` for another statement, or one of several subjects.
    package init(payload: [UInt8]) throws {
        do {
            let statement = try JSONValue(parsing: payload).object("the statement")
            let subjects = try statement.array("subject")
            guard try statement.string("_type") == Self.statementType,
                try statement.string("predicateType") == Self.predicateType, subjects.count == 1
            else { throw RegistryError(.invalid, "it is no provenance of one version (\(Self.predicateType))") }
            let subject = try subjects[0].object("subject")
            let name = try subject.string("name").split(separator: "@", maxSplits: 1).map(String.init)
            guard name.count == 2 else { throw RegistryError(.invalid, "its subject is not PACKAGE@VERSION") }
            version = try VersionName(PackageID(name[0]), SemanticVersion(name[1]))
            manifest = try Digest(hex: subject.object("digest").string("sha256"))
            let predicate = try statement.object("predicate")
            let definition = try predicate.object("buildDefinition")
            let parameters = try definition["externalParameters"]?.object("externalParameters") ?? [:]
            source = try parameters["source"]?.string("source")
            ref = try parameters["ref"]?.string("ref")
            workflow = try parameters["workflow"]?.string("workflow")
            let run = try predicate.object("runDetails")
            builder = try run.object("builder").string("id")
            invocation = try run["metadata"]?.object("metadata")["invocationId"]?.string("invocationId")
            var (commit, inputs): (String?, [Input]) = (nil, [])
            for value in try definition["resolvedDependencies"]?.array("resolvedDependencies") ?? [] {
                let material = try value.object("resolvedDependencies")
                let digest = try material.object("digest")
                if let found = try digest["gitCommit"]?.string("gitCommit") {
                    commit = found
                } else if let hex = try digest["sha256"]?.string("sha256"),
                    let name = try material["name"]?.string("name")
                {
                    inputs.append(Input(name: name, digest: try Digest(hex: hex)))
                }
            }
            (self.commit, self.inputs) = (commit, inputs)
        } catch let error as RegistryError {
            throw RegistryError(.invalid, "the provenance cannot be used: \(error.message)")
        } catch {
            throw RegistryError(.invalid, "the provenance cannot be used: \(error)")
        }
    }
}
