/// A QR code of a text of up to 106 bytes (ISO/IEC 18004: versions 1 to 6, bytes, error correction M).
struct QRCode {
    /// A version's blocks: how many, and the bytes of data and of error correction in each.
    private struct Layout {
        let blocks: Int
        let data: Int
        let correction: Int
        /// The centre of the alignment pattern; nil: there is none.
        let alignment: Int?
    }

    private static let layouts = [
        Layout(blocks: 1, data: 16, correction: 10, alignment: nil),
        Layout(blocks: 1, data: 28, correction: 16, alignment: 18),
        Layout(blocks: 1, data: 44, correction: 26, alignment: 22),
        Layout(blocks: 2, data: 32, correction: 18, alignment: 26),
        Layout(blocks: 2, data: 43, correction: 24, alignment: 30),
        Layout(blocks: 4, data: 27, correction: 16, alignment: 34),
    ]

    /// Modules on each side.
    let size: Int
    /// By row; true is dark.
    private(set) var modules: [[Bool]]
    /// Modules that are no data.
    private var isFixed: [[Bool]]

    /// - Returns: nil for a text that is too long.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let version = Self.layouts.firstIndex(where: { $0.blocks * $0.data >= bytes.count + 2 }) else {
            return nil
        }
        size = 21 + 4 * version
        modules = Array(repeating: Array(repeating: false, count: size), count: size)
        isFixed = modules
        let layout = Self.layouts[version]
        drawFixed(layout)
        draw(Self.codewords(bytes, layout))
        let plain = modules
        var best: (penalty: Int, modules: [[Bool]])?
        for mask in 0..<8 {
            modules = plain
            apply(mask)
            drawFormat(mask)
            if penalty < best?.penalty ?? .max { best = (penalty, modules) }
        }
        modules = best?.modules ?? plain
    }

    // MARK: The data

    private static func codewords(_ bytes: [UInt8], _ layout: Layout) -> [UInt8] {
        // Mode 4 (bytes), the count, the bytes, the end, and padding.
        var bits = [false, true, false, false]
        func append(_ value: UInt8) { for shift in (0..<8).reversed() { bits.append(value >> UInt8(shift) & 1 == 1) } }
        append(UInt8(bytes.count))
        for byte in bytes { append(byte) }
        bits += Array(repeating: false, count: 4)
        var data = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<min(start + 8, bits.count)].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        var isOdd = true
        while data.count < layout.blocks * layout.data {
            data.append(isOdd ? 0xEC : 0x11)
            isOdd.toggle()
        }
        let blocks = (0..<layout.blocks).map { Array(data[$0 * layout.data..<($0 + 1) * layout.data]) }
        let corrections = blocks.map { correction(of: $0, count: layout.correction) }
        return (0..<layout.data).flatMap { index in blocks.map { $0[index] } }
            + (0..<layout.correction).flatMap { index in corrections.map { $0[index] } }
    }

    /// The remainder by the generator polynomial of Reed and Solomon.
    private static func correction(of data: [UInt8], count: Int) -> [UInt8] {
        var divisor = Array(repeating: UInt8(0), count: count)
        divisor[count - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<count {
            for index in 0..<count {
                divisor[index] = product(divisor[index], root)
                if index + 1 < count { divisor[index] ^= divisor[index + 1] }
            }
            root = product(root, 2)
        }
        var rest = Array(repeating: UInt8(0), count: count)
        for byte in data {
            let factor = byte ^ rest.removeFirst()
            rest.append(0)
            for index in 0..<count { rest[index] ^= product(divisor[index], factor) }
        }
        return rest
    }

    /// In the field of 256 elements by x⁸ + x⁴ + x³ + x² + 1.
    private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var result: UInt8 = 0
        for shift in (0..<8).reversed() {
            result = result << 1 ^ (result >> 7 == 1 ? 0x1D : 0)
            if right >> UInt8(shift) & 1 == 1 { result ^= left }
        }
        return result
    }

    // MARK: The picture

    private mutating func set(_ column: Int, _ row: Int, _ isDark: Bool) {
        modules[row][column] = isDark
        isFixed[row][column] = true
    }

    private mutating func drawFixed(_ layout: Layout) {
        for index in 0..<size {
            set(6, index, index % 2 == 0)
            set(index, 6, index % 2 == 0)
        }
        for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] {
            for dx in -4...4 {
                for dy in -4...4 where (0..<size).contains(x + dx) && (0..<size).contains(y + dy) {
                    let ring = max(abs(dx), abs(dy))
                    set(x + dx, y + dy, ring != 2 && ring != 4)
                }
            }
        }
        if let centre = layout.alignment {
            for dx in -2...2 { for dy in -2...2 { set(centre + dx, centre + dy, max(abs(dx), abs(dy)) != 1) } }
        }
        drawFormat(0)
    }

    private mutating func drawFormat(_ mask: Int) {
        // Level M is 00.
        var rest = mask
        for _ in 0..<10 { rest = rest << 1 ^ (rest >> 9) * 0x537 }
        let bits = (mask << 10 | rest) ^ 0x5412
        func bit(_ index: Int) -> Bool { bits >> index & 1 == 1 }
        for index in 0...5 { set(8, index, bit(index)) }
        set(8, 7, bit(6))
        set(8, 8, bit(7))
        set(7, 8, bit(8))
        for index in 9..<15 { set(14 - index, 8, bit(index)) }
        for index in 0..<8 { set(size - 1 - index, 8, bit(index)) }
        for index in 8..<15 { set(8, size - 15 + index, bit(index)) }
        set(8, size - 8, true)
    }

    /// In columns of two from the right, upwards and downwards.
    private mutating func draw(_ codewords: [UInt8]) {
        var index = 0
        for start in stride(from: size - 1, through: 1, by: -2) {
            let right = start <= 6 ? start - 1 : start
            for step in 0..<size {
                for column in [right, right - 1] {
                    let row = (right + 1) & 2 == 0 ? size - 1 - step : step
                    guard !isFixed[row][column], index < codewords.count * 8 else { continue }
                    modules[row][column] = codewords[index / 8] >> UInt8(7 - index % 8) & 1 == 1
                    index += 1
                }
            }
        }
    }

    private mutating func apply(_ mask: Int) {
        for y in 0..<size {
            for x in 0..<size where !isFixed[y][x] {
                let isInverted =
                    switch mask {
                    case 0: (x + y) % 2 == 0
                    case 1: y % 2 == 0
                    case 2: x % 3 == 0
                    case 3: (x + y) % 3 == 0
                    case 4: (x / 3 + y / 2) % 2 == 0
                    case 5: x * y % 2 + x * y % 3 == 0
                    case 6: (x * y % 2 + x * y % 3) % 2 == 0
                    default: ((x + y) % 2 + x * y % 3) % 2 == 0
                    }
                if isInverted { modules[y][x].toggle() }
            }
        }
    }

    /// Long runs, blocks and an uneven share of dark modules: what scanners read badly.
    private var penalty: Int {
        var penalty = 0
        for line in 0..<size {
            for cells in [modules[line], modules.map { $0[line] }] {
                var run = 1
                for index in 1...size {
                    if index < size, cells[index] == cells[index - 1] {
                        run += 1
                    } else {
                        if run >= 5 { penalty += run - 2 }
                        run = 1
                    }
                }
            }
        }
        for y in 0..<size - 1 {
            for x in 0..<size - 1 {
                let block = [modules[y][x + 1], modules[y + 1][x], modules[y + 1][x + 1]]
                if block.allSatisfy({ $0 == modules[y][x] }) { penalty += 3 }
            }
        }
        let dark = modules.joined().count { $0 }
        return penalty + abs(dark * 20 - size * size * 10) / (size * size) * 10
    }

    /// For a terminal, two rows in each line, with a light margin. Light is drawn: terminals are mostly dark.
    var text: String {
        let margin = 2
        func isLight(_ x: Int, _ y: Int) -> Bool {
            guard (0..<size).contains(x), (0..<size).contains(y) else { return true }
            return !modules[y][x]
        }
        return stride(from: -margin, to: size + margin, by: 2).map { y in
            (-margin..<size + margin).map { x in
                switch (isLight(x, y), y + 1 < size + margin && isLight(x, y + 1)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }.joined()
        }.joined(separator: "\n")
    }
}
