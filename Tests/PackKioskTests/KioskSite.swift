import Foundation

/// A site that uses what engines find hard: modules, WebAssembly, a font, workers, sound that is sought in.
enum KioskSite {
    static func files(marker: String = "one") -> [String: Data] {
        var files = texts.mapValues { Data($0.replacingOccurrences(of: "MARKER", with: marker).utf8) }
        files["add.wasm"] = Data(wasm)
        files["sound.wav"] = sound(seconds: 30)
        let font = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"
        if let data = FileManager.default.contents(atPath: font) { files["fonts/probe.ttf"] = data }
        return files
    }

    /// 16 bit, mono, 44,100 samples a second: a tone.
    static func sound(seconds: Int) -> Data {
        let count = seconds * 44_100
        var data = Data("RIFF".utf8)
        func add(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
        }
        add(UInt32(36 + count * 2))
        data += Data("WAVEfmt ".utf8)
        add(UInt32(16))
        add(UInt16(1))
        add(UInt16(1))
        add(UInt32(44_100))
        add(UInt32(88_200))
        add(UInt16(2))
        add(UInt16(16))
        data += Data("data".utf8)
        add(UInt32(count * 2))
        var samples = [Int16](repeating: 0, count: count)
        for index in samples.indices { samples[index] = Int16(truncatingIfNeeded: (index % 100) * 300 - 15_000) }
        samples.withUnsafeBytes { data.append(contentsOf: $0) }
        return data
    }

    /// (module (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add))
    private static let wasm: [UInt8] = [
        0x00, 0x61, 0x73, 0x6D, 0x01, 0x00, 0x00, 0x00, 0x01, 0x07, 0x01, 0x60, 0x02, 0x7F, 0x7F, 0x01, 0x7F, 0x03,
        0x02,
        0x01, 0x00, 0x07, 0x07, 0x01, 0x03, 0x61, 0x64, 0x64, 0x00, 0x00, 0x0A, 0x09, 0x01, 0x07, 0x00, 0x20, 0x00,
        0x20,
        0x01, 0x6A, 0x0B,
    ]

    private static let texts = [
        "index.html": """
        <!doctype html><html><head><title>MARKER</title><link rel="icon" href="data:,">
        <link rel="stylesheet" href="style.css"><script type="module" src="app.js"></script></head>
        <body><h1>Shop</h1><p class="probe">Probe</p><a id="next" href="pages/second.html">next</a></body></html>
        """,
        "pages/second.html": """
        <!doctype html><title>second MARKER</title><link rel="icon" href="data:,"><script src="../second.js"></script>
        """,
        "second.js": "window.second = 'MARKER';",
        "style.css": """
        @font-face { font-family: Probe; src: url(fonts/probe.ttf); }
        h1 { color: rgb(1, 2, 3); } .probe { font: 30px Probe; }
        """,
        "app.js": """
        import { value } from './lib/value.js';
        window.moduleValue = value;
        window.later = () => import('./lib/later.js');
        """,
        "lib/value.js": "export const value = 'MARKER';",
        "lib/later.js": "export const later = 'later MARKER';",
        "worker.js": "onmessage = async e => postMessage(e.data + ' ' + await (await fetch('data.json')).text());",
        "data.json": "{\"is\": \"MARKER\"}",
        "sw.js": """
        self.addEventListener('install', () => self.skipWaiting());
        self.addEventListener('activate', e => e.waitUntil(clients.claim()));
        self.addEventListener('fetch', e => {
          if (new URL(e.request.url).pathname === '/made') e.respondWith(new Response('made by the worker'));
        });
        """,
        "bodies.js": bodies,
    ]

    /// Sends bodies of every kind and compares what a mirror gives back.
    private static let bodies = """
        export async function run(mirror, rounds, maximum, seed) {
          let state = seed >>> 0;
          const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0);
          const random = size => {
            const bytes = new Uint8Array(size);
            for (let i = 0; i < size; i++) bytes[i] = next() >>> 24;
            return bytes;
          };
          const text = size => Array.from(random(Math.min(size, 60000)), b => String.fromCodePoint(b < 240 ? b + 32 : 0x1F600 + b)).join('');
          const utf8 = s => new TextEncoder().encode(s);
          const same = (a, b) => a.length === b.length && a.every((x, i) => x === b[i]);
          const kinds = {
            string: n => { const s = text(n); return [s, utf8(s)]; },
            buffer: n => { const b = random(n); return [b.buffer, b]; },
            view: n => { const b = random(n + 7); return [b.subarray(3, 3 + n), b.slice(3, 3 + n)]; },
            wide: n => { const b = random(n * 4); return [new Float32Array(b.buffer), b]; },
            data: n => { const b = random(n + 5); return [new DataView(b.buffer, 2, n), b.slice(2, 2 + n)]; },
            blob: n => { const b = random(n); return [new Blob([b.slice(0, n >> 1), b.slice(n >> 1)], { type: 'application/x-probe' }), b]; },
            file: n => { const b = random(n); return [new File([b], 'a b.bin'), b]; },
            query: n => { const q = new URLSearchParams([['a', text(n)], ['a', 'ä&=+ ']]); return [q, utf8(q.toString())]; },
            none: () => [null, new Uint8Array()],
          };
          const transports = {
            fetch: async (method, body) => {
              const answer = await fetch(mirror, { method, body });
              return new Uint8Array(await answer.arrayBuffer());
            },
            xhr: (method, body) => new Promise((done, failed) => {
              const x = new XMLHttpRequest();
              x.open(method, mirror);
              x.responseType = 'arraybuffer';
              x.onload = () => done(new Uint8Array(x.response));
              x.onerror = () => failed(new Error('xhr error'));
              x.send(body);
            }),
          };
          const wrong = [];
          let count = 0;
          for (const [way, send] of Object.entries(transports)) {
            for (const [kind, make] of Object.entries(kinds)) {
              for (let i = 0; i < rounds; i++) {
                const size = i === 0 ? 0 : i === 1 ? maximum : next() % maximum;
                const [body, expected] = make(size);
                try {
                  const got = await send(['POST', 'PUT', 'PATCH', 'DELETE'][i % 4], body);
                  if (!same(got, expected)) wrong.push(`${way} ${kind} ${size}: ${got.length} of ${expected.length}`);
                } catch (error) { wrong.push(`${way} ${kind} ${size}: ${error}`); }
                count++;
              }
            }
            for (let i = 0; i < rounds; i++) {
              const part = random(next() % maximum);
              const form = new FormData();
              form.append('name', 'ä'); form.append('name', 'second'); form.append('empty', new File([], 'empty.txt'));
              form.append('file', new File([part], 'p "q".bin', { type: 'application/x-probe' }));
              try {
                const answer = await new Promise((done, failed) => {
                  if (way === 'fetch') {
                    fetch(mirror, { method: 'POST', body: form }).then(async a => done([a.headers.get('x-type'), await a.arrayBuffer()]), failed);
                  } else {
                    const x = new XMLHttpRequest();
                    x.open('POST', mirror); x.responseType = 'arraybuffer';
                    x.onload = () => done([x.getResponseHeader('x-type'), x.response]);
                    x.onerror = () => failed(new Error('xhr error'));
                    x.send(form);
                  }
                });
                const read = await new Response(answer[1], { headers: { 'content-type': answer[0] } }).formData();
                const file = new Uint8Array(await read.get('file').arrayBuffer());
                if (read.getAll('name').join() !== 'ä,second' || !same(file, part) || read.get('file').type !== 'application/x-probe')
                  wrong.push(`${way} form ${part.length}`);
              } catch (error) { wrong.push(`${way} form ${part.length}: ${error}`); }
              count++;
            }
          }
          return { count, wrong };
        }
        """
}
