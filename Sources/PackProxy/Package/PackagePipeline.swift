import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOSSL
import NIOTLS
import PackWeb
import PackWebOnline

/// Serves the web view inside a package's tunnel: TLS, and then the version of HTTP that the view has chosen. With
/// HTTP/2 no request waits for another one. With HTTP/1.1 an engine has six connections, and six long polls stop all
/// files. A WebSocket uses HTTP/1.1: extended CONNECT (RFC 8441) is not offered.
struct PackagePipeline: Sendable {
    let pages: any PageSource
    let online: NetworkLoader
    let services: ServiceConnector

    func begin(on channel: any Channel, _ tls: NIOSSLContext) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(NIOSSLServerHandler(context: tls))
        try pipeline.addHandler(
            ApplicationProtocolNegotiationHandler { result, channel in
                channel.eventLoop.makeCompletedFuture {
                    if case .negotiated("h2") = result {
                        try speakHTTP2(on: channel)
                    } else {
                        try speakHTTP1(on: channel)
                    }
                }
            })
    }

    private func speakHTTP1(on channel: any Channel) throws {
        var framing = HTTPResponseEncoder.Configuration()
        framing.automaticallySetFramingHeaders = false
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(withErrorHandling: true, withEncoderConfiguration: framing)
        try pipeline.addHandler(PackageHandler(pages: pages, online: online, services: services))
    }

    private func speakHTTP2(on channel: any Channel) throws {
        var stream = NIOHTTP2Handler.StreamConfiguration()
        // Bodies of many megabytes come over this machine's own loopback.
        stream.targetWindowSize = 1 << 20
        _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
            mode: .server, connectionConfiguration: NIOHTTP2Handler.ConnectionConfiguration(),
            streamConfiguration: stream
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                let pipeline = stream.pipeline.syncOperations
                try pipeline.addHandler(HTTP2FramePayloadToHTTP1ServerCodec())
                try pipeline.addHandler(PackageHandler(pages: pages, online: online, services: services))
            }
        }
    }
}
