import TestSupport

extension Tool {
    /// A folder whose commands use a registry with its rows in a new database, and its files in `files`.
    static func onPostgres() async throws -> (server: PostgresServer, database: String, tool: Tool) {
        let server = try await PostgresServer.shared()
        let database = try server.newDatabase()
        let environment = ["PACKTOOL_REGISTRY": server.url(database: database), "PACKTOOL_FILES": "files"]
        return (server, database, try Tool(environment: environment))
    }
}
