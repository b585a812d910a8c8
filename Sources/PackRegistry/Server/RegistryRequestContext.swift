package import Hummingbird

/// What the server carries along a request.
package struct RegistryRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// Names the request in the log and, where the answer is not a file, in `X-Request-Id`. Ours, because the framework
    /// reads its own back from the logger, which a log handler without metadata does not keep.
    let requestID = RequestID()

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
    }
}
