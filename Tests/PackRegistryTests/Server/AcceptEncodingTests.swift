import Testing

@testable import PackRegistry
@testable import PackRegistryServer

struct AcceptEncodingTests {
    @Test(
        arguments: [
            (["gzip, deflate, br, zstd"], [.zstd, .gzip]),  // Chromium and Firefox
            (["gzip, deflate, br"], [.gzip]),  // Safari
            (["gzip, deflate"], [.gzip]), (["GZIP"], [.gzip]), (["x-gzip"], [.gzip]),
            (["gzip", "zstd"], [.zstd, .gzip]),
            (["zstd;q=0.5, gzip;q=0.9"], [.gzip, .zstd]), (["zstd ; Q=0.5 , gzip"], [.gzip, .zstd]),
            (["*"], [.zstd, .gzip]), (["*;q=0.1, zstd;q=0"], [.gzip]), (["gzip;q=0.001"], [.gzip]),
            (["identity;q=0.5, gzip;q=0.5"], [.gzip]), (["identity;q=0, gzip"], [.gzip]),
            (["gzip;q=1.000"], [.gzip]), (["gzip;q=0.000"], []), (["gzip;q=0"], []), (["gzip;q=0, *;q=0"], []),
            (["identity"], []), (["identity, gzip;q=0.9"], []), (["identity;q=1, *;q=0"], []),  // media elements
            ([], []), ([""], []), ([","], []), (["br, deflate"], []), (["gzipped"], []),
            (["gzip;q=2"], []), (["gzip;q=-1"], []), (["gzip;q=0.1234"], []), (["gzip;q="], [.gzip]),
            (["gzip;q=a"], []),
            (["gzip;q=1.5"], []),
        ] as [([String], [ContentCoding])])
    func `the codings that a client takes, best first`(fields: [String], accepted: [ContentCoding]) {
        #expect(AcceptEncoding(fields).accepted == accepted)
    }
}
