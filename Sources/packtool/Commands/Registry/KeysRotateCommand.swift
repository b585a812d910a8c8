import ArgumentParser
import PackFormat
import PackJSON
import PackKeys
import PackPublisher
import PackRegistryLocal
import PackTrust

/// `packtool keys rotate`.
struct KeysRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Replace a key by a new one; devices follow without an app release.",
        discussion: HelpText.flowing(
            """
            Rotating the publisher key needs the owner's key, the owner and online keys need
            the root key. The old key's file is kept beside the new one, under its id.

            A registry that was restored from a backup is older than what this project has
            seen, and is refused as an attack would be: online --restored accepts it.
            """))

    /// Whose key is replaced.
    enum Name: String, ExpressibleByArgument, CaseIterable {
        case root
        case owner
        case publisher
        case online
    }

    @Argument(help: "root, owner, publisher or online.")
    var name: Name

    @Flag(help: "With online: the registry was restored from a backup, so forget what was seen of it before.")
    var restored = false

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard !restored || name == .online else { throw ValidationError("--restored is for online only") }
    }

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        let note = RestoredRoot(session.project)
        if restored {
            guard let local = session.local else { throw Self.needsFolder }
            // Before anything is forgotten.
            for name in [KeyFolder.Name.root, .owner] { _ = try required(name, session) }
            try note.keep(try await session.seenRoots(), shown: await local.newestShownRoot())
            try await local.showRestored()
            try await session.forgetSeenMetadata()
        }
        // Each step of a rotation is signed with it: half of them would be left.
        if name != .online, let local = session.local, try await !local.canSign {
            throw CommandFailure(
                (local.hasOnlineKey
                    ? "the online key here (keys/online.json) is an old one or another registry's, and no key that the root names, "
                    : "this registry has no online key here (keys/online.json), ")
                    + "which signs each change of keys: nothing was changed. "
                    + "Run this on a machine that has it, or through a server (--registry URL)")
        }
        let maintenance = try await session.maintenance(console: options.console, isRenewing: name != .online)
        if name != .online { try await maintenance.checkRotation(ofRoot: name == .root) }
        let key: PublicKey
        switch name {
        case .online:
            guard let local = session.local else { throw Self.needsFolder }
            let (root, owner) = (try required(.root, session), try required(.owner, session))
            try await maintenance.bringBack(note.roots(), owner: [owner])
            key = try await maintenance.rotateOnline(of: local, root: [root], owner: [owner])
            if let seen = note.version {
                try await maintenance.raiseRoot(above: seen, root: [root])
                note.remove()
            }
        case .root:
            key = try await rotate(.root, session) { old, new in try await maintenance.rotateRoot(from: old, to: new) }
        case .owner:
            let root = try required(.root, session)
            key = try await rotate(.owner, session) { old, new in
                try await maintenance.rotateOwner(from: old, to: new, root: [root])
            }
        case .publisher:
            let owner = try required(.owner, session)
            key = try await rotate(.publisher, session) { old, new in
                _ = try await maintenance.rotatePublisher(from: old.publicKey, to: new, owner: [owner])
            }
        }
        options.console.result(
            "the \(name.rawValue) key is now \(key.id.prefix(16))",
            json: .object(["name": .string(name.rawValue), "key": .object(KeyText.json(key))]))
    }

    private static let needsFolder = CommandFailure(
        "the online key is in the registry's folder: run this on that machine, with --registry DIR")

    /// Puts the new key's file in place once the registry has taken it.
    private func rotate(
        _ name: KeyFolder.Name, _ session: RegistrySession, _ change: (any Signer, PrivateKey) async throws -> Void
    ) async throws -> PublicKey {
        let old = try required(name, session)
        guard try session.keys.source(name) == .file(session.keys.file(of: name)) else {
            throw CommandFailure(
                "the \(name.rawValue) key comes from \(name.variable), where a new one cannot be put: make one there, "
                    + "delegate to it with packtool keys delegate, and revoke the old one with packtool keys revoke")
        }
        let new = try PrivateKey.generate(old.publicKey.scheme ?? .ed25519)
        let pending = try session.keys.keepPending(new, as: name)
        try await change(old, new)
        try session.keys.activate(pending, as: name, oldID: old.publicKey.id)
        return new.publicKey
    }

    private func required(_ name: KeyFolder.Name, _ session: RegistrySession) throws -> any Signer {
        guard let signer = try session.keys.signer(name) else {
            throw CommandFailure(
                "this needs the \(name.rawValue) key: set \(name.variable), or run it where the key is")
        }
        return signer
    }
}
