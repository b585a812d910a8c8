extension PostgresSchema {
    /// Names are in the order of their bytes, as in SQLite, whatever the database's language is.
    static let firstTables = """
        CREATE TABLE setting (
            name TEXT COLLATE "C" PRIMARY KEY,
            value TEXT NOT NULL
        );

        -- Every writing transaction locks this table, which has no rows, before anything else.
        CREATE TABLE writer (nothing INTEGER);

        -- One row for each of the last writing transactions, by which its end is found out after a failover.
        CREATE TABLE recorded (
            mark TEXT COLLATE "C" PRIMARY KEY,
            time TIMESTAMPTZ NOT NULL DEFAULT now()
        );
        CREATE INDEX recordedByTime ON recorded (time);

        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION '%', TG_ARGV[0]; END
        $$;

        -- Manifests whose objects are all in the store. One that no version names is waiting to be published.
        CREATE TABLE manifest (
            digest TEXT COLLATE "C" PRIMARY KEY,
            package TEXT COLLATE "C" NOT NULL,
            version TEXT COLLATE "C" NOT NULL,
            bytes BYTEA NOT NULL,
            requiredApp TEXT,
            hasEntry INTEGER NOT NULL,
            fileCount BIGINT NOT NULL,
            size BIGINT NOT NULL,
            uploaded TIMESTAMPTZ NOT NULL,
            uploadedBy TEXT NOT NULL
        );

        CREATE TABLE version (
            sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            package TEXT COLLATE "C" NOT NULL,
            version TEXT COLLATE "C" NOT NULL,
            manifest TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES manifest (digest),
            published TIMESTAMPTZ NOT NULL,
            publishedBy TEXT NOT NULL,
            withdrawn TEXT,
            note TEXT,
            sourceCommit TEXT,
            UNIQUE (package, version)
        );
        CREATE TRIGGER versionStays BEFORE DELETE ON version
        FOR EACH ROW EXECUTE FUNCTION refuse('a published version is never deleted');
        CREATE TRIGGER versionIsNotTruncated BEFORE TRUNCATE ON version
        EXECUTE FUNCTION refuse('a published version is never deleted');
        CREATE TRIGGER versionIsImmutable
        BEFORE UPDATE OF package, version, manifest, published, publishedBy ON version
        FOR EACH ROW EXECUTE FUNCTION refuse('a published version never changes');

        CREATE TABLE release (
            sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            id TEXT COLLATE "C" NOT NULL UNIQUE,
            channel TEXT COLLATE "C" NOT NULL,
            package TEXT COLLATE "C" NOT NULL,
            manifest TEXT COLLATE "C" REFERENCES manifest (digest),
            percent INTEGER NOT NULL CHECK (percent BETWEEN 0 AND 100),
            retry BIGINT NOT NULL DEFAULT 0,
            created TIMESTAMPTZ NOT NULL,
            createdBy TEXT NOT NULL,
            removed TIMESTAMPTZ,
            share INTEGER CHECK (share BETWEEN 0 AND 10000),
            audiences TEXT,
            policy TEXT,
            setID TEXT COLLATE "C",
            app TEXT
        );
        CREATE INDEX releaseByChannel ON release (channel, package, sequence);
        CREATE INDEX releaseByManifest ON release (manifest);
        CREATE INDEX releaseBySet ON release (channel, setID) WHERE setID IS NOT NULL;

        -- Every step of every release, its plan, and what is done with that.
        CREATE TABLE releaseEvent (
            sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            release TEXT COLLATE "C" NOT NULL,
            time TIMESTAMPTZ NOT NULL,
            actor TEXT NOT NULL,
            kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('add', 'update', 'remove', 'plan', 'rollout')),
            content TEXT NOT NULL
        );
        CREATE INDEX releaseEventByRelease ON releaseEvent (release, sequence);
        CREATE INDEX releaseEventPlan ON releaseEvent (release, sequence) WHERE kind = 'plan';
        CREATE TRIGGER releaseEventIsNotEdited BEFORE UPDATE OR DELETE ON releaseEvent
        FOR EACH ROW EXECUTE FUNCTION refuse('the events of releases are append-only');
        CREATE TRIGGER releaseEventIsNotTruncated BEFORE TRUNCATE ON releaseEvent
        EXECUTE FUNCTION refuse('the events of releases are append-only');

        CREATE TABLE token (
            id TEXT COLLATE "C" PRIMARY KEY,
            name TEXT NOT NULL,
            hash TEXT COLLATE "C" NOT NULL UNIQUE,
            scope TEXT NOT NULL,
            created TIMESTAMPTZ NOT NULL,
            expires TIMESTAMPTZ,
            revoked TIMESTAMPTZ
        );

        CREATE TABLE audit (
            sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            time TIMESTAMPTZ NOT NULL,
            actor TEXT NOT NULL,
            action TEXT NOT NULL,
            subject TEXT NOT NULL,
            detail TEXT NOT NULL
        );
        CREATE TRIGGER auditIsNotEdited BEFORE UPDATE OR DELETE ON audit
        FOR EACH ROW EXECUTE FUNCTION refuse('the audit log is append-only');
        CREATE TRIGGER auditIsNotTruncated BEFORE TRUNCATE ON audit
        EXECUTE FUNCTION refuse('the audit log is append-only');

        -- Signed metadata, byte for byte as in the view.
        CREATE TABLE metadata (
            role TEXT COLLATE "C" NOT NULL,
            version BIGINT NOT NULL,
            bytes BYTEA NOT NULL,
            PRIMARY KEY (role, version)
        );

        -- Channel files as the channels role lists them.
        CREATE TABLE channelFile (
            digest TEXT COLLATE "C" NOT NULL,
            channel TEXT COLLATE "C" NOT NULL,
            bytes BYTEA NOT NULL,
            sequence BIGINT NOT NULL,
            format INTEGER NOT NULL DEFAULT 1,
            PRIMARY KEY (channel, digest)
        );

        CREATE TABLE groupFile (
            digest TEXT COLLATE "C" NOT NULL,
            channel TEXT COLLATE "C" NOT NULL,
            name TEXT COLLATE "C" NOT NULL,
            bytes BYTEA NOT NULL,
            sequence BIGINT NOT NULL,
            PRIMARY KEY (channel, name, digest)
        );

        -- Files made from a version's objects; without a size: not worth having.
        CREATE TABLE derived (
            target TEXT COLLATE "C" NOT NULL REFERENCES manifest (digest),
            base TEXT COLLATE "C" NOT NULL,
            kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('archive', 'full', 'patch', 'manifest', 'update')),
            size BIGINT,
            PRIMARY KEY (target, base, kind)
        );

        -- Packages of which a derived file may be wanted, and those of which a compressed object may be.
        CREATE TABLE work (package TEXT COLLATE "C" PRIMARY KEY);
        CREATE TABLE siteWork (package TEXT COLLATE "C" PRIMARY KEY);

        -- Which manifests pin a shared bundle's manifest.
        CREATE TABLE pin (
            bundle TEXT COLLATE "C" NOT NULL,
            manifest TEXT COLLATE "C" NOT NULL REFERENCES manifest (digest),
            PRIMARY KEY (bundle, manifest)
        );

        -- Compressed forms of objects, for the online copies; without a size: not worth having.
        CREATE TABLE encoding (
            object TEXT COLLATE "C" NOT NULL,
            coding TEXT COLLATE "C" NOT NULL,
            size BIGINT,
            PRIMARY KEY (object, coding)
        );

        -- Objects that were stored whole.
        CREATE TABLE object (
            digest TEXT COLLATE "C" PRIMARY KEY,
            size BIGINT NOT NULL
        );

        -- Who does what only one process may do at a time. A row stays for ever, because its number only grows.
        CREATE TABLE lease (
            name TEXT COLLATE "C" PRIMARY KEY,
            number BIGINT NOT NULL,
            holder TEXT NOT NULL,
            expires TIMESTAMPTZ
        );
        """

    static let webhooks = """
        -- Addresses to which a server sends what happens.
        CREATE TABLE webhook (
            id TEXT COLLATE "C" PRIMARY KEY,
            url TEXT NOT NULL,
            format TEXT NOT NULL,
            kinds TEXT NOT NULL,
            secret TEXT NOT NULL,
            created TIMESTAMPTZ NOT NULL,
            createdBy TEXT NOT NULL,
            position BIGINT NOT NULL
        );

        -- What is still to be sent; next NULL: it was given up.
        CREATE TABLE delivery (
            id TEXT COLLATE "C" PRIMARY KEY,
            sequence BIGINT GENERATED ALWAYS AS IDENTITY UNIQUE,
            webhook TEXT COLLATE "C" NOT NULL,
            kind TEXT NOT NULL,
            body BYTEA NOT NULL,
            created TIMESTAMPTZ NOT NULL,
            attempts BIGINT NOT NULL,
            next TIMESTAMPTZ,
            error TEXT
        );
        CREATE INDEX deliveryDue ON delivery (next);

        -- Signatures whose end was told, by role and version.
        CREATE TABLE expiryNotice (name TEXT COLLATE "C" PRIMARY KEY);
        """

    static let proposedChanges = """
        -- What was proposed, approved and made, and how many approvals channels require. Everything follows from it.
        CREATE TABLE approvalEvent (
            sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            change BIGINT,
            channel TEXT COLLATE "C" NOT NULL,
            time TIMESTAMPTZ NOT NULL,
            actor TEXT NOT NULL,
            kind TEXT COLLATE "C" NOT NULL
                CHECK (kind IN ('require', 'propose', 'approve', 'reject', 'execute', 'fail')),
            content TEXT NOT NULL
        );
        CREATE INDEX approvalEventByChange ON approvalEvent (change, sequence);
        CREATE INDEX approvalEventByKind ON approvalEvent (kind, change) WHERE kind IN ('require', 'propose');
        CREATE UNIQUE INDEX approvalEventStart ON approvalEvent (change) WHERE kind = 'propose';
        CREATE UNIQUE INDEX approvalEventEnd ON approvalEvent (change) WHERE kind IN ('reject', 'execute', 'fail');
        CREATE TRIGGER approvalEventIsNotEdited BEFORE UPDATE OR DELETE ON approvalEvent
        FOR EACH ROW EXECUTE FUNCTION refuse('the events of changes are append-only');
        CREATE TRIGGER approvalEventIsNotTruncated BEFORE TRUNCATE ON approvalEvent
        EXECUTE FUNCTION refuse('the events of changes are append-only');
        """
}
