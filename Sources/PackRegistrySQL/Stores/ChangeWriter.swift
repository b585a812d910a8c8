import PackFormat
package import PackRegistry

/// Writes all rows of a change inside one transaction.
package struct ChangeWriter {
    private let db: Database
    private let changes: ChangeSet

    package init(db: Database, changes: ChangeSet) {
        self.db = db
        self.changes = changes
    }

    package func write() throws {
        let (actor, now) = (changes.actor, changes.time)
        let versions = VersionTable(db: db)
        guard try ObjectTable(db: db).missing(among: changes.presumed).isEmpty else { throw StaleFacts() }
        try RemovalTable(db: db).cancel(changes.reserved)
        for upload in changes.uploads {
            try ObjectTable(db: db).add(upload.manifest.ownObjects)
            try versions.take(upload, by: actor, now: now)
        }
        for publication in changes.publications {
            // A prune may have removed an upload since the facts were read.
            guard try versions.hasManifest(publication.manifest) else { throw StaleFacts() }
            try versions.publish(publication, by: actor, now: now)
        }
        for version in changes.restorations { try versions.restore(version) }
        for withdrawal in changes.withdrawals { try versions.withdraw(withdrawal.version, reason: withdrawal.reason) }
        for releases in changes.releases {
            try ReleaseTable(db: db).apply(
                releases.steps, of: releases.package, on: releases.channel, by: actor, now: now,
                reason: changes.reason)
        }
        for note in changes.rolloutNotes { try RolloutTable(db: db).append(note, by: actor, now: now) }
        let metadata = MetadataTable(db: db)
        for document in changes.documents { try metadata.put(document) }
        for document in changes.channelDocuments { try metadata.put(document) }
        for document in changes.groups { try GroupTable(db: db).put(document) }
        for step in changes.tokens { try TokenTable(db: db).apply(step, now: now) }
        for event in changes.approvalEvents { try ApprovalTable(db: db).append(event) }
        for line in changes.audit { try AuditTable(db: db).append(line, by: actor, now: now) }
        for package in changes.work { try BuildQueueTable(db: db).add(package) }
    }
}
