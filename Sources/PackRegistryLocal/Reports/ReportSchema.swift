import GRDB

/// The schema of `reports.sqlite`. A released step is never edited.
enum ReportSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: events, counters, standings") { db in try db.execute(sql: first) }
        migrator.registerMigration("2: networks of devices") { db in try db.execute(sql: second) }
        migrator.registerMigration("3: sums of standings") { db in try db.execute(sql: third) }
        migrator.registerMigration("4: what devices have and are") { db in try db.execute(sql: fourth) }
        migrator.registerMigration("5: one row for the events of a batch") { db in
            try db.execute(sql: fifth)
            try EventLogMigration(db: db).run()
        }
        return migrator
    }

    private static let fifth = """
        -- Events of one sender that came together, in the order of arrival; events: EventLog; first and last: their sequences; total: the
        -- events of this row and all before it. Times are seconds since 1970.
        CREATE TABLE eventLog (
            id INTEGER PRIMARY KEY,
            sender INTEGER NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            received INTEGER NOT NULL,
            total INTEGER NOT NULL,
            events BLOB NOT NULL
        ) STRICT;
        CREATE INDEX eventLogOfSender ON eventLog (sender, last);
        """

    private static let fourth = """
        -- The facts of a device, as JSON.
        ALTER TABLE event ADD COLUMN facts TEXT;

        -- What each device said last of a package; day: days since 1970.
        CREATE TABLE presence (
            sender INTEGER NOT NULL,
            channel TEXT NOT NULL,
            package TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            subject INTEGER NOT NULL,
            facts TEXT NOT NULL,
            day INTEGER NOT NULL,
            PRIMARY KEY (sender, channel, package)
        ) STRICT, WITHOUT ROWID;

        -- How many devices have the same version and are alike. Triggers keep it.
        CREATE TABLE presenceSum (
            subject INTEGER NOT NULL,
            day INTEGER NOT NULL,
            facts TEXT NOT NULL,
            devices INTEGER NOT NULL,
            PRIMARY KEY (subject, day, facts)
        ) STRICT, WITHOUT ROWID;

        CREATE TRIGGER presenceAdded AFTER INSERT ON presence BEGIN
            INSERT INTO presenceSum VALUES (new.subject, new.day, new.facts, 1)
            ON CONFLICT DO UPDATE SET devices = devices + 1;
        END;

        CREATE TRIGGER presenceChanged AFTER UPDATE ON presence BEGIN
            UPDATE presenceSum SET devices = devices - 1
            WHERE subject = old.subject AND day = old.day AND facts = old.facts;
            INSERT INTO presenceSum VALUES (new.subject, new.day, new.facts, 1)
            ON CONFLICT DO UPDATE SET devices = devices + 1;
        END;

        CREATE TRIGGER presenceRemoved AFTER DELETE ON presence BEGIN
            UPDATE presenceSum SET devices = devices - 1
            WHERE subject = old.subject AND day = old.day AND facts = old.facts;
        END;
        """

    /// Without the sums each look at the statistics would read a row for each device and release.
    private static let third = """
        -- How many devices stand alike with a release; no outcome: ''. Triggers keep it.
        CREATE TABLE standingSum (
            subject INTEGER NOT NULL,
            activated INTEGER NOT NULL,
            outcome TEXT NOT NULL,
            devices INTEGER NOT NULL,
            PRIMARY KEY (subject, activated, outcome)
        ) STRICT, WITHOUT ROWID;

        INSERT INTO standingSum SELECT subject, activated, coalesce(outcome, ''), count(*) FROM standing
        WHERE activated IS NOT NULL GROUP BY 1, 2, 3;

        CREATE TRIGGER standingAdded AFTER INSERT ON standing WHEN new.activated IS NOT NULL BEGIN
            INSERT INTO standingSum VALUES (new.subject, new.activated, coalesce(new.outcome, ''), 1)
            ON CONFLICT DO UPDATE SET devices = devices + 1;
        END;

        CREATE TRIGGER standingChanged AFTER UPDATE ON standing
        WHEN old.activated IS NOT new.activated OR old.outcome IS NOT new.outcome BEGIN
            UPDATE standingSum SET devices = devices - 1
            WHERE subject = old.subject AND activated = old.activated AND outcome = coalesce(old.outcome, '');
            INSERT INTO standingSum SELECT new.subject, new.activated, coalesce(new.outcome, ''), 1
            WHERE new.activated IS NOT NULL
            ON CONFLICT DO UPDATE SET devices = devices + 1;
        END;

        CREATE TRIGGER standingRemoved AFTER DELETE ON standing WHEN old.activated IS NOT NULL BEGIN
            UPDATE standingSum SET devices = devices - 1
            WHERE subject = old.subject AND activated = old.activated AND outcome = coalesce(old.outcome, '');
        END;
        """

    private static let second = """
        -- A number that many networks share; NULL: it is not known.
        ALTER TABLE standing ADD COLUMN network INTEGER;

        CREATE TABLE secret (
            name TEXT PRIMARY KEY,
            value BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    private static let first = """
        CREATE TABLE sender (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE
        ) STRICT;

        -- A version as one release of a channel brought it; no version, no release: ''.
        CREATE TABLE subject (
            id INTEGER PRIMARY KEY,
            channel TEXT NOT NULL,
            package TEXT NOT NULL,
            version TEXT NOT NULL,
            release TEXT NOT NULL,
            UNIQUE (channel, package, version, release)
        ) STRICT;

        -- The log, in the order of arrival. Times are seconds since 1970.
        CREATE TABLE event (
            id INTEGER PRIMARY KEY,
            sender INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            subject INTEGER NOT NULL,
            code TEXT NOT NULL,
            phase TEXT,
            fault TEXT,
            time INTEGER NOT NULL,
            received INTEGER NOT NULL,
            wire INTEGER,
            zip INTEGER,
            local INTEGER,
            online INTEGER,
            missed INTEGER,
            bytes INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX eventOnce ON event (sender, sequence);

        -- Sums that outlive the log; no phase, no fault: ''.
        CREATE TABLE counter (
            subject INTEGER NOT NULL,
            hour INTEGER NOT NULL,
            code TEXT NOT NULL,
            phase TEXT NOT NULL,
            fault TEXT NOT NULL,
            count INTEGER NOT NULL,
            measured INTEGER NOT NULL,
            wire INTEGER NOT NULL,
            zip INTEGER NOT NULL,
            local INTEGER NOT NULL,
            online INTEGER NOT NULL,
            missed INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            PRIMARY KEY (subject, hour, code, phase, fault)
        ) STRICT, WITHOUT ROWID;

        -- How each device stands with each release.
        CREATE TABLE standing (
            subject INTEGER NOT NULL,
            sender INTEGER NOT NULL,
            activated INTEGER,
            outcome TEXT,
            PRIMARY KEY (subject, sender)
        ) STRICT, WITHOUT ROWID;
        """
}
