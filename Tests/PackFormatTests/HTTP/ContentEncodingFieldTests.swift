import PackFormat
import Testing

struct ContentEncodingFieldTests {
    @Test func `only identity, in whichever case, and no coding at all are wanted`() {
        #expect(ContentEncodingField.unwanted(nil) == nil)
        #expect(ContentEncodingField.unwanted("identity") == nil)
        #expect(ContentEncodingField.unwanted("Identity") == nil)
        #expect(ContentEncodingField.unwanted("gzip") == "gzip")
        #expect(ContentEncodingField.unwanted("") == "")
        #expect(ContentEncodingField.unwanted(String(repeating: "x", count: 5_000))?.count == 40)
    }
}
