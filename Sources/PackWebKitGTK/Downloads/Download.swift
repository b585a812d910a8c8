/// A file that a page wants to leave on this machine, and how far it has come.
public struct Download: Sendable, Hashable {
    public enum State: Sendable, Hashable {
        /// Not taken; no byte of it is on the disk.
        case refused(reason: String)
        case began
        /// Whole, under its own name.
        case saved(path: String, size: Int)
        /// Given up on the way; nothing of it is left.
        case failed(reason: String)
    }

    /// Counts a view's downloads from 1 on.
    public let number: Int
    public let url: String
    /// The name that the server or the page gave, made safe; empty as long as it is not known.
    public internal(set) var name = ""
    public internal(set) var state: State
}
