import GRDB
import GRDBSQLite

extension GRDB.Database {
    /// Leaves the files of the log (`-wal`, `-shm`) where they are when the last connection closes: to make them anew takes room,
    /// and a database on a full disk could not be read (`SQLITE_FCNTL_PERSIST_WAL`). The last connection empties the log, and a
    /// checkpoint cuts it to a megabyte.
    func keepLogFiles() {
        var isKept: CInt = 1
        sqlite3_file_control(sqliteConnection, nil, SQLITE_FCNTL_PERSIST_WAL, &isKept)
        try? execute(sql: "PRAGMA journal_size_limit = 1048576")
    }
}
