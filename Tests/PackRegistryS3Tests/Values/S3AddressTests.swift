import Foundation
import Testing

@testable import PackRegistryAPI
@testable import PackRegistryS3

@Suite("S3AddressTests") struct S3AddressTests {
    private static func location(_ text: String, _ environment: [String: String] = [:]) throws -> S3Location {
        try S3Location(S3Address(text), environment: environment)
    }

    private static func url(_ text: String, _ environment: [String: String] = [:]) throws -> String {
        let location = try location(text, environment)
        return location.url(path: location.path(location.key("metadata/1.root.json")), query: [])
    }

    @Test func `an address is printed as it was given`() throws {
        for text in [
            "s3://packages", "s3://packages/shop", "s3://my.packages/a/b-c_d.e",
            "s3://packages/shop?endpoint=https://s3.example.com&region=eu-central-1&style=path",
            "s3://packages?endpoint=http://127.0.0.1:8333&style=host", "s3://packages?region=auto",
        ] {
            #expect(try S3Address(text).description == text)
        }
        #expect(try S3Address("s3://packages/shop/").description == "s3://packages/shop")
        #expect(
            try S3Address("S3://packages?endpoint=https%3A%2F%2FS3.example.com/").description
                == "s3://packages?endpoint=https://s3.example.com")
    }

    @Test(arguments: [
        "https://packages", "s3://", "s3:///shop", "s3://ab", "s3://Packages_1", "s3://a..b", "s3://packages:80/x",
        "s3://packages/../x", "s3://packages/a//b", "s3://packages/a b", "s3://packages/a%20b", "s3://packages/.",
        "s3://packages/x#y", "s3://packages?style=tree", "s3://packages?region=a/b", "s3://packages?region=",
        "s3://packages?endpoint=ftp://x", "s3://packages?endpoint=https://x/y", "s3://packages?endpoint=x",
        "s3://packages?endpoint=https://u:p@x", "s3://packages?secret=x", "s3://packages?style=path&style=host",
        "s3://key:secret@packages", "s3://key@packages",
    ])
    func `what is no address is refused, and no secret is repeated`(text: String) throws {
        let error = #expect(throws: RegistryError.self) { try S3Address(text) }
        #expect(error?.kind == .invalid)
        #expect(error?.message.contains("secret@") == false && error?.message.contains("u:p") == false)
    }

    @Test func `each object has one URL, by path or by host`() throws {
        let environment = ["AWS_REGION": "eu-west-1"]
        #expect(
            try Self.url("s3://packages/shop", environment)
                == "https://packages.s3.eu-west-1.amazonaws.com/shop/metadata/1.root.json")
        // A certificate for *.amazonaws.com is for one label.
        #expect(
            try Self.url("s3://my.packages?region=eu-west-1")
                == "https://s3.eu-west-1.amazonaws.com/my.packages/metadata/1.root.json")
        #expect(
            try Self.url("s3://packages?region=cn-north-1")
                == "https://packages.s3.cn-north-1.amazonaws.com.cn/metadata/1.root.json")
        #expect(
            try Self.url("s3://packages/shop?endpoint=http://127.0.0.1:8333")
                == "http://127.0.0.1:8333/packages/shop/metadata/1.root.json")
        #expect(
            try Self.url("s3://packages?endpoint=https://s3.example.com:443&style=host")
                == "https://packages.s3.example.com/metadata/1.root.json")
        #expect(try Self.location("s3://packages?endpoint=http://[::1]:80").host == "[::1]")
        #expect(try Self.location("s3://packages?endpoint=https://x").region == "us-east-1")
        #expect(try Self.location("s3://packages?endpoint=https://x", environment).region == "eu-west-1")
        #expect(try Self.location("s3://packages?region=auto", environment).region == "auto")
    }

    @Test func `a bucket of Amazon's needs a region`() throws {
        let error = #expect(throws: RegistryError.self) { try Self.location("s3://packages") }
        #expect(error?.message.contains("AWS_REGION") == true)
        #expect(try Self.location("s3://packages", ["AWS_REGION": "", "AWS_DEFAULT_REGION": "eu-x"]).region == "eu-x")
    }

    @Test func `names with a plus sign are encoded in the path`() throws {
        let location = try Self.location("s3://packages/shop?endpoint=https://x")
        #expect(location.path(location.key("packages/a-1.0.0+5.zip")) == "/packages/shop/packages/a-1.0.0%2B5.zip")
        #expect(location.path(nil) == "/packages")
    }
}
