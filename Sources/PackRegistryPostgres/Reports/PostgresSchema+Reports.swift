extension PostgresSchema {
    /// What devices reported, in a schema of its own: a backup of the registry may leave it out, and it can be lost without harm.
    static let reports = PostgresSchema(
        content: "reports", steps: [Step(name: "events, counters, standings, presences", sql: firstReports)])

    /// Times are seconds since 1970.
    private static let firstReports = """
        CREATE TABLE secret (
            name TEXT COLLATE "C" PRIMARY KEY,
            value BYTEA NOT NULL
        );

        CREATE TABLE sender (
            id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name TEXT COLLATE "C" NOT NULL UNIQUE
        );

        -- A version as one release of a channel brought it; no version, no release: ''.
        CREATE TABLE subject (
            id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            channel TEXT COLLATE "C" NOT NULL,
            package TEXT COLLATE "C" NOT NULL,
            version TEXT COLLATE "C" NOT NULL,
            release TEXT COLLATE "C" NOT NULL,
            UNIQUE (channel, package, version, release)
        );

        -- Events of one sender that came together, in the order of arrival; events: EventLog; first and last: their sequences; total: the
        -- events of this row and all before it. A partition has a day, so that old ones go without a trace.
        CREATE SEQUENCE eventLogNumber;
        CREATE TABLE eventLog (
            id BIGINT NOT NULL DEFAULT nextval('eventLogNumber'),
            sender BIGINT NOT NULL,
            first BIGINT NOT NULL,
            last BIGINT NOT NULL,
            received BIGINT NOT NULL,
            total BIGINT NOT NULL,
            events BYTEA NOT NULL
        ) PARTITION BY RANGE (received);
        CREATE INDEX eventLogOfSender ON eventLog (sender, last);
        CREATE INDEX eventLogInOrder ON eventLog (id);

        -- The days since 1970 that have a partition.
        CREATE TABLE eventDay (day BIGINT PRIMARY KEY);

        -- Sums that outlive the log; no phase, no fault: ''.
        CREATE TABLE counter (
            subject BIGINT NOT NULL,
            hour BIGINT NOT NULL,
            code TEXT COLLATE "C" NOT NULL,
            phase TEXT COLLATE "C" NOT NULL,
            fault TEXT COLLATE "C" NOT NULL,
            count BIGINT NOT NULL,
            measured BIGINT NOT NULL,
            wire BIGINT NOT NULL,
            zip BIGINT NOT NULL,
            local BIGINT NOT NULL,
            online BIGINT NOT NULL,
            missed BIGINT NOT NULL,
            bytes BIGINT NOT NULL,
            PRIMARY KEY (subject, hour, code, phase, fault)
        );

        -- How each device stands with each release.
        CREATE TABLE standing (
            subject BIGINT NOT NULL,
            sender BIGINT NOT NULL,
            activated BIGINT,
            outcome TEXT COLLATE "C",
            network BIGINT,
            PRIMARY KEY (subject, sender)
        );
        CREATE INDEX standingOfSender ON standing (sender);

        -- How many devices stand alike with a release; no outcome: ''.
        CREATE TABLE standingSum (
            subject BIGINT NOT NULL,
            activated BIGINT NOT NULL,
            outcome TEXT COLLATE "C" NOT NULL,
            devices BIGINT NOT NULL,
            PRIMARY KEY (subject, activated, outcome)
        );

        -- What each device said last of a package; day: days since 1970.
        CREATE TABLE presence (
            sender BIGINT NOT NULL,
            channel TEXT COLLATE "C" NOT NULL,
            package TEXT COLLATE "C" NOT NULL,
            sequence BIGINT NOT NULL,
            subject BIGINT NOT NULL,
            facts TEXT COLLATE "C" NOT NULL,
            day BIGINT NOT NULL,
            PRIMARY KEY (sender, channel, package)
        );

        -- How many devices have the same version and are alike.
        CREATE TABLE presenceSum (
            subject BIGINT NOT NULL,
            day BIGINT NOT NULL,
            facts TEXT COLLATE "C" NOT NULL,
            devices BIGINT NOT NULL,
            PRIMARY KEY (subject, day, facts)
        );
        """
}
