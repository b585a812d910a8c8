import GRDB
import GRDBSQLite

extension GRDB.Database {
    /// Leaves the files of the log (`-wal`, `-shm`) where they are when the last connection closes (`SQLITE_FCNTL_PERSIST_WAL`): to
    /// make them anew takes room, and a database on a full disk could not be read. What the log says is in the database then.
    func keepLogFiles() {
        var isKept: CInt = 1
        sqlite3_file_control(sqliteConnection, nil, SQLITE_FCNTL_PERSIST_WAL, &isKept)
    }
}
