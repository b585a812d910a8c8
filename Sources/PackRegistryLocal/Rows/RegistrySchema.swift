import GRDB

/// The database's schema and the steps from older ones. A released step is never edited.
enum RegistrySchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: versions, releases, tokens, audit, metadata") { db in
            try db.execute(sql: first)
        }
        migrator.registerMigration("2: work by package, pins, compressed objects") { db in
            try db.execute(sql: second)
        }
        migrator.registerMigration("3: events of releases, objects") { db in
            try db.execute(sql: third)
        }
        migrator.registerMigration("4: shares, audiences, channel files of format 2") { db in
            try db.execute(sql: fourth)
        }
        migrator.registerMigration("5: leases") { db in
            try db.execute(sql: fifth)
        }
        migrator.registerMigration("sets of releases") { db in
            try db.execute(sql: sets)
        }
        migrator.registerMigration("policies of releases, groups of devices") { db in
            try db.execute(sql: policies)
        }
        migrator.registerMigration("plans of rollouts") { db in
            try db.execute(sql: plans)
        }
        migrator.registerMigration("notes on versions") { db in
            try db.execute(
                sql: "ALTER TABLE version ADD COLUMN note TEXT; ALTER TABLE version ADD COLUMN sourceCommit TEXT;")
        }
        migrator.registerMigration("update files") { db in
            try db.execute(sql: updateFiles)
        }
        migrator.registerMigration("webhooks") { db in
            try db.execute(sql: webhooks)
        }
        migrator.registerMigration("proposed changes") { db in
            try db.execute(sql: proposedChanges)
        }
        migrator.registerMigration("state of the data of versions") { db in
            // JSON as in the manifest; none: the version does not say.
            try db.execute(sql: "ALTER TABLE manifest ADD COLUMN state TEXT")
        }
        migrator.registerMigration("versions without files, files to remove") { db in
            try db.execute(sql: retention)
        }
        migrator.registerMigration("trust in issuers of id tokens") { db in
            // JSON; a token of a job has the id of its trust as parent.
            try db.execute(
                sql: "ALTER TABLE token ADD COLUMN trust TEXT; ALTER TABLE token ADD COLUMN parent TEXT;")
        }
        migrator.registerMigration("provenance of versions") { db in
            // A signed envelope each, where the publisher sent one.
            try db.execute(
                sql: """
                    CREATE TABLE provenance (
                        package TEXT NOT NULL, version TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (package, version)
                    ) STRICT, WITHOUT ROWID;
                    """)
        }
        return migrator
    }

    private static let retention = """
        -- When a version's files were removed; none: they are there.
        ALTER TABLE version ADD COLUMN pruned TEXT;

        -- Files below the view that nothing refers to, and that are still to be removed.
        CREATE TABLE removal (
            path TEXT PRIMARY KEY NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    private static let webhooks = """
        -- Addresses to which a server sends what happens.
        CREATE TABLE webhook (
            id TEXT PRIMARY KEY NOT NULL,
            url TEXT NOT NULL,
            format TEXT NOT NULL,
            kinds TEXT NOT NULL,
            -- Signing needs it, so it cannot be a hash.
            secret TEXT NOT NULL,
            created TEXT NOT NULL,
            createdBy TEXT NOT NULL,
            -- The entry of the audit log up to which it was told.
            position INTEGER NOT NULL
        ) STRICT;

        -- What is still to be sent; next NULL: it was given up.
        CREATE TABLE delivery (
            id TEXT PRIMARY KEY NOT NULL,
            webhook TEXT NOT NULL,
            kind TEXT NOT NULL,
            body BLOB NOT NULL,
            created TEXT NOT NULL,
            attempts INTEGER NOT NULL,
            next TEXT,
            error TEXT
        ) STRICT;
        CREATE INDEX deliveryDue ON delivery (next);

        -- Signatures whose end was told, by role and version.
        CREATE TABLE expiryNotice (
            name TEXT PRIMARY KEY NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    private static let first = """
        CREATE TABLE setting (
            name TEXT PRIMARY KEY NOT NULL,
            value TEXT NOT NULL
        ) STRICT;

        -- Manifests whose objects are all in the store. One that no version names is waiting to be published.
        CREATE TABLE manifest (
            digest TEXT PRIMARY KEY NOT NULL,
            package TEXT NOT NULL,
            version TEXT NOT NULL,
            bytes BLOB NOT NULL,
            -- From the manifest, so that lists need not parse it.
            requiredApp TEXT,
            hasEntry INTEGER NOT NULL,
            fileCount INTEGER NOT NULL,
            size INTEGER NOT NULL,
            uploaded TEXT NOT NULL,
            uploadedBy TEXT NOT NULL
        ) STRICT;

        CREATE TABLE version (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            package TEXT NOT NULL,
            version TEXT NOT NULL,
            manifest TEXT NOT NULL UNIQUE REFERENCES manifest (digest),
            published TEXT NOT NULL,
            publishedBy TEXT NOT NULL,
            withdrawn TEXT,
            UNIQUE (package, version)
        ) STRICT;
        CREATE TRIGGER versionStays BEFORE DELETE ON version
        BEGIN SELECT RAISE(ABORT, 'a published version is never deleted'); END;
        CREATE TRIGGER versionIsImmutable
        BEFORE UPDATE OF package, version, manifest, published, publishedBy ON version
        BEGIN SELECT RAISE(ABORT, 'a published version never changes'); END;

        -- Every release that ever was, oldest first; "removed" once it is no longer offered.
        CREATE TABLE release (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            channel TEXT NOT NULL,
            package TEXT NOT NULL,
            manifest TEXT REFERENCES manifest (digest),
            percent INTEGER NOT NULL CHECK (percent BETWEEN 0 AND 100),
            retry INTEGER NOT NULL DEFAULT 0,
            created TEXT NOT NULL,
            createdBy TEXT NOT NULL,
            removed TEXT
        ) STRICT;
        CREATE INDEX releaseByChannel ON release (channel, package, sequence);

        CREATE TABLE token (
            id TEXT PRIMARY KEY NOT NULL,
            name TEXT NOT NULL,
            hash TEXT NOT NULL UNIQUE,
            scope TEXT NOT NULL,
            created TEXT NOT NULL,
            expires TEXT,
            revoked TEXT
        ) STRICT;

        CREATE TABLE audit (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            time TEXT NOT NULL,
            actor TEXT NOT NULL,
            action TEXT NOT NULL,
            subject TEXT NOT NULL,
            detail TEXT NOT NULL
        ) STRICT;
        CREATE TRIGGER auditIsNotEdited BEFORE UPDATE ON audit
        BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
        CREATE TRIGGER auditIsNotShortened BEFORE DELETE ON audit
        BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

        -- Signed metadata, byte for byte as it stands in the view.
        CREATE TABLE metadata (
            role TEXT NOT NULL,
            version INTEGER NOT NULL,
            bytes BLOB NOT NULL,
            PRIMARY KEY (role, version)
        ) STRICT, WITHOUT ROWID;

        -- Channel files as the channels role lists them.
        CREATE TABLE channelFile (
            digest TEXT NOT NULL,
            channel TEXT NOT NULL,
            bytes BLOB NOT NULL,
            sequence INTEGER NOT NULL,
            PRIMARY KEY (channel, digest)
        ) STRICT, WITHOUT ROWID;

        -- Files made from a version's objects; without a size: not worth having.
        CREATE TABLE derived (
            target TEXT NOT NULL REFERENCES manifest (digest),
            base TEXT NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN ('archive', 'full', 'patch', 'manifest')),
            size INTEGER,
            PRIMARY KEY (target, base, kind)
        ) STRICT, WITHOUT ROWID;
        """

    private static let second = """
        -- Packages of which a derived file may be wanted: whoever makes them looks at these and at no others.
        CREATE TABLE work (
            package TEXT PRIMARY KEY NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO work SELECT DISTINCT package FROM version;
        -- The same for the compressed forms of objects, which only a server makes.
        CREATE TABLE siteWork (
            package TEXT PRIMARY KEY NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO siteWork SELECT DISTINCT package FROM version;

        -- Which manifests pin a shared bundle's manifest.
        CREATE TABLE pin (
            bundle TEXT NOT NULL,
            manifest TEXT NOT NULL REFERENCES manifest (digest),
            PRIMARY KEY (bundle, manifest)
        ) STRICT, WITHOUT ROWID;
        INSERT OR IGNORE INTO pin
        SELECT json_extract(shared.value, '$.manifest'), manifest.digest
        FROM manifest, json_each(
            CASE WHEN json_valid(CAST(bytes AS TEXT)) THEN CAST(bytes AS TEXT) ELSE '{}' END, '$.shared') AS shared
        WHERE json_type(shared.value, '$.manifest') = 'text';

        CREATE INDEX releaseByManifest ON release (manifest);
        -- Lists of versions need not pass the bytes.
        CREATE INDEX metadataByRole ON metadata (role, version);

        -- Compressed forms of objects, for the online copies; without a size: not worth having.
        CREATE TABLE encoding (
            object TEXT NOT NULL,
            coding TEXT NOT NULL,
            size INTEGER,
            PRIMARY KEY (object, coding)
        ) STRICT, WITHOUT ROWID;
        """

    private static let third = """
        -- Every step of every release: what was offered at any moment can be told from it. A registry that comes from before
        -- it has the beginnings and ends that it knows, with the share that a release had last.
        CREATE TABLE releaseEvent (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            release TEXT NOT NULL,
            time TEXT NOT NULL,
            actor TEXT NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN ('add', 'update', 'remove')),
            content TEXT NOT NULL
        ) STRICT;
        CREATE INDEX releaseEventByRelease ON releaseEvent (release, sequence);
        INSERT INTO releaseEvent (release, time, actor, kind, content)
        SELECT id, created AS time, createdBy, 'add', json_object('share', percent * 100, 'retry', retry) FROM release
        UNION ALL
        SELECT id, removed AS time, 'unknown', 'remove', '{}' FROM release WHERE removed IS NOT NULL
        ORDER BY time;
        CREATE TRIGGER releaseEventIsNotEdited BEFORE UPDATE ON releaseEvent
        BEGIN SELECT RAISE(ABORT, 'the events of releases are append-only'); END;
        CREATE TRIGGER releaseEventIsNotShortened BEFORE DELETE ON releaseEvent
        BEGIN SELECT RAISE(ABORT, 'the events of releases are append-only'); END;

        -- Objects that were stored whole.
        CREATE TABLE object (
            digest TEXT PRIMARY KEY NOT NULL,
            size INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT OR IGNORE INTO object
        SELECT json_extract(file.value, '$.sha256'), json_extract(file.value, '$.size')
        FROM manifest, json_each(
            CASE WHEN json_valid(CAST(bytes AS TEXT)) THEN CAST(bytes AS TEXT) ELSE '{}' END, '$.files') AS file
        WHERE json_type(file.value, '$.sha256') = 'text' AND json_type(file.value, '$.size') = 'integer'
            AND json_type(file.value, '$.from') IS NULL;
        """

    private static let policies = """
        -- JSON as in the channel file; none: nothing but what the app has configured.
        ALTER TABLE release ADD COLUMN policy TEXT;
        -- The files of channels' groups as the channels role lists them, byte for byte as they stand in the view.
        CREATE TABLE groupFile (
            digest TEXT NOT NULL,
            channel TEXT NOT NULL,
            name TEXT NOT NULL,
            bytes BLOB NOT NULL,
            sequence INTEGER NOT NULL,
            PRIMARY KEY (channel, name, digest)
        ) STRICT, WITHOUT ROWID;
        """

    private static let fourth = """
        -- In 1/10,000; a release from before has its percentage.
        ALTER TABLE release ADD COLUMN share INTEGER CHECK (share BETWEEN 0 AND 10000);
        -- JSON as in the channel file; none: everybody.
        ALTER TABLE release ADD COLUMN audiences TEXT;
        -- A channel of which format 1 does not say all has a file of each.
        ALTER TABLE channelFile ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
        """

    private static let fifth = """
        -- Who does what only one process may do at a time. A row stays for ever, because its number only grows.
        CREATE TABLE lease (
            name TEXT PRIMARY KEY NOT NULL,
            number INTEGER NOT NULL,
            holder TEXT NOT NULL,
            -- None: it was released.
            expires TEXT
        ) STRICT, WITHOUT ROWID;
        """

    private static let sets = """
        -- The set that a release belongs to, and what the whole set requires of the app.
        ALTER TABLE release ADD COLUMN setID TEXT;
        ALTER TABLE release ADD COLUMN app TEXT;
        CREATE INDEX releaseBySet ON release (channel, setID) WHERE setID IS NOT NULL;
        """

    private static let plans = """
        -- A release's plan, and what is done with it, stand among its events. SQLite cannot change a CHECK.
        CREATE TABLE event (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            release TEXT NOT NULL,
            time TEXT NOT NULL,
            actor TEXT NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN ('add', 'update', 'remove', 'plan', 'rollout')),
            content TEXT NOT NULL
        ) STRICT;
        INSERT INTO event SELECT sequence, release, time, actor, kind, content FROM releaseEvent ORDER BY sequence;
        DROP TABLE releaseEvent;
        ALTER TABLE event RENAME TO releaseEvent;
        CREATE INDEX releaseEventByRelease ON releaseEvent (release, sequence);
        CREATE INDEX releaseEventPlan ON releaseEvent (release, sequence) WHERE kind = 'plan';
        CREATE TRIGGER releaseEventIsNotEdited BEFORE UPDATE ON releaseEvent
        BEGIN SELECT RAISE(ABORT, 'the events of releases are append-only'); END;
        CREATE TRIGGER releaseEventIsNotShortened BEFORE DELETE ON releaseEvent
        BEGIN SELECT RAISE(ABORT, 'the events of releases are append-only'); END;
        """

    private static let proposedChanges = """
        -- What was proposed, approved and made, and how many approvals channels require. Everything follows from it.
        CREATE TABLE approvalEvent (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            -- None: the event is of the channel.
            change INTEGER,
            channel TEXT NOT NULL,
            time TEXT NOT NULL,
            actor TEXT NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN ('require', 'propose', 'approve', 'reject', 'execute', 'fail')),
            content TEXT NOT NULL
        ) STRICT;
        CREATE INDEX approvalEventByChange ON approvalEvent (change, sequence);
        CREATE INDEX approvalEventByKind ON approvalEvent (kind, change) WHERE kind IN ('require', 'propose');
        -- A change is proposed once, and ends once.
        CREATE UNIQUE INDEX approvalEventStart ON approvalEvent (change) WHERE kind = 'propose';
        CREATE UNIQUE INDEX approvalEventEnd ON approvalEvent (change) WHERE kind IN ('reject', 'execute', 'fail');
        CREATE TRIGGER approvalEventIsNotEdited BEFORE UPDATE ON approvalEvent
        BEGIN SELECT RAISE(ABORT, 'the events of changes are append-only'); END;
        CREATE TRIGGER approvalEventIsNotShortened BEFORE DELETE ON approvalEvent
        BEGIN SELECT RAISE(ABORT, 'the events of changes are append-only'); END;
        """

    private static let updateFiles = """
        CREATE TABLE derivedFile (
            target TEXT NOT NULL REFERENCES manifest (digest),
            base TEXT NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN ('archive', 'full', 'patch', 'manifest', 'update')),
            size INTEGER,
            PRIMARY KEY (target, base, kind)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO derivedFile SELECT target, base, kind, size FROM derived;
        DROP TABLE derived;
        ALTER TABLE derivedFile RENAME TO derived;
        -- What is offered gets its update files.
        INSERT OR IGNORE INTO work SELECT DISTINCT package FROM version;
        """
}
