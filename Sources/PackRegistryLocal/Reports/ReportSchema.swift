import GRDB

/// The schema of `reports.sqlite`. A released step is never edited.
enum ReportSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: events, counters, standings") { db in try db.execute(sql: first) }
        migrator.registerMigration("2: networks of devices") { db in try db.execute(sql: second) }
        return migrator
    }

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
