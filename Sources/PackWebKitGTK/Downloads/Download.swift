/// A file that a page wants to save on this machine, and its progress.
public struct Download: Sendable, Hashable {
    public enum State: Sendable, Hashable {
        /// Refused; no byte of it is on the disk.
        case refused(reason: String)
        case began
        /// Complete, under its own name.
        case saved(path: String, size: Int)
        /// Given up; nothing of it is left.
        case failed(reason: String)
    }

    /// The number of the download in its view, from 1.
    public let number: Int
    public let url: String
    /// The name that the server or the page gave, made safe; empty while it is unknown.
    public internal(set) var name = ""
    public internal(set) var state: State
}
