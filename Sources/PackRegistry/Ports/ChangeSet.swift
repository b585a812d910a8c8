package import Foundation
package import PackFormat
package import PackRegistryAPI
package import PackTrust

/// Everything that one change adds to a registry. A store records all of it or nothing.
package struct ChangeSet: Sendable {
    /// Signed metadata, byte for byte as in the view.
    package struct Document: Hashable, Sendable {
        package let role: String
        package let version: Int
        package let bytes: [UInt8]
    }

    /// A channel's file in one format, its head, or one of its parts, byte for byte as in the view.
    package struct ChannelDocument: Hashable, Sendable {
        /// Added to the number of a part.
        private static let firstPart = 1_000

        package let channel: ChannelName
        /// Of those with one number the newest are kept.
        package let format: Int
        package let bytes: [UInt8]

        package init(channel: ChannelName, format: Int, bytes: [UInt8]) {
            self.channel = channel
            self.format = format
            self.bytes = bytes
        }

        package init(channel: ChannelName, part: Int, bytes: [UInt8]) {
            self.init(channel: channel, format: Self.firstPart + part, bytes: bytes)
        }
    }

    /// A group's file beside its channel's; nil bytes: it is no longer listed.
    package struct GroupDocument: Hashable, Sendable {
        package let channel: ChannelName
        package let name: String
        package let bytes: [UInt8]?
    }

    package struct Publication: Hashable, Sendable {
        package let version: VersionName
        package let manifest: Digest
        package var note = VersionNote.none
    }

    package struct Withdrawal: Hashable, Sendable {
        package let version: VersionName
        package let reason: String
    }

    package struct Releases: Hashable, Sendable {
        package let package: PackageID
        package let channel: ChannelName
        package let steps: [ReleaseHistory.Step]
    }

    /// Something that was done with a release's plan.
    package struct RolloutNote: Hashable, Sendable {
        /// The id of the release.
        package let release: String
        package let kind: RolloutEvent.Kind
    }

    package struct AuditLine: Hashable, Sendable {
        package let action: String
        package let subject: String
        package let detail: String

        package init(action: String, subject: String, detail: String) {
            self.action = action
            self.subject = subject
            self.detail = detail
        }
    }

    package enum TokenStep: Hashable, Sendable {
        /// Facts are stale where there is one with its id, or its parent is revoked.
        case create(RegistryFacts.Token)
        case revoke(id: String)
        /// Removes the row of a job's token that expired long ago.
        case forget(id: String)
    }

    /// Who makes the change, and when.
    package let actor: Identity
    package let time: Date

    package private(set) var documents: [Document] = []
    /// The new content of channels.
    package var channelFiles: [ChannelFile] = []
    /// The same files as the channels role lists them, made by the signer.
    package private(set) var channelDocuments: [ChannelDocument] = []
    package var groups: [GroupDocument] = []
    /// Manifests whose objects are all stored.
    package var uploads: [SealedManifest] = []
    /// Objects that must be recorded already, or nothing is: facts are stale where one was removed since.
    package var presumed: [Object] = []
    /// Objects that somebody is about to refer to: they are not removed, if they were to be.
    package var reserved: [Object] = []
    /// Versions whose files were removed, and are there again.
    package var restorations: [VersionName] = []
    package var publications: [Publication] = []
    package var withdrawals: [Withdrawal] = []
    package var releases: [Releases] = []
    /// Why releases are taken back, as somebody said it; empty for none.
    package var reason = ""
    /// Recorded after the releases, in this order.
    package var rolloutNotes: [RolloutNote] = []
    package var tokens: [TokenStep] = []
    /// Recorded in this order, after the releases.
    package var approvalEvents: [ApprovalEvent] = []
    package private(set) var audit: [AuditLine] = []
    /// The packages for which other downloads may be needed now.
    package var work: Set<PackageID> = []

    /// Whether those whose approval the change's channel requires have given it.
    package var isApproved = false

    /// The change is recorded only while its maker holds this lease; nil: it needs none.
    package var lease: Lease?

    // What a rule asks of the signer.

    /// Whether snapshot and timestamp must be signed anew over the documents.
    package var signs = false
    /// Whether the channels role must be signed anew even if none of its files changes.
    package var signsChannels = false

    package init(by actor: Identity, at time: Date) {
        self.actor = actor
        self.time = time
    }

    /// Whether there is nothing to record.
    package var isEmpty: Bool {
        documents.isEmpty && channelFiles.isEmpty && groups.isEmpty && uploads.isEmpty && publications.isEmpty
            && withdrawals.isEmpty && releases.isEmpty && rolloutNotes.isEmpty && tokens.isEmpty && audit.isEmpty
            && work.isEmpty && approvalEvents.isEmpty && reserved.isEmpty && restorations.isEmpty
    }

    package mutating func put<Body: RoleMetadata>(_ document: SignedDocument<Body>, as role: String) {
        documents.append(Document(role: role, version: document.body.version, bytes: document.bytes))
    }

    package mutating func put(_ document: ChannelDocument) { channelDocuments.append(document) }

    package mutating func log(_ action: String, _ subject: String, _ detail: String = "") {
        audit.append(AuditLine(action: action, subject: subject, detail: detail))
    }
}
