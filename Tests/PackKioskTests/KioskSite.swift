import Foundation

/// A site that uses what engines find hard: modules, WebAssembly, a font, workers, sound that is sought in.
enum KioskSite {
    static func files(marker: String = "one") -> [String: Data] {
        var files = texts.mapValues { Data($0.replacingOccurrences(of: "MARKER", with: marker).utf8) }
        files["add.wasm"] = Data(wasm)
        let font = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"
        if let data = FileManager.default.contents(atPath: font) { files["fonts/probe.ttf"] = data }
        return files
    }

    /// 16 bit, mono, 44,100 samples a second: silence.
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
        data += Data(count: count * 2)
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

    /// Sends bodies of every kind and compares what a mirror gives back. The sizes are of every order of magnitude, none
    /// and the largest among them.
    private static let bodies = """
        export const kindCount = 11;
        export async function run(mirror, { rounds, maximum, seed, way, kind }) {
          let state = seed >>> 0;
          const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0);
          const random = size => {
            const bytes = new Uint8Array(size);
            for (let i = 0; i < size; i++) bytes[i] = next() >>> 24;
            return bytes;
          };
          const text = size => {
            const block = Array.from(random(Math.min(size, 50000)), b => String.fromCodePoint(b < 240 ? b + 32 : 0x1F600 + b)).join('');
            return block.length ? block.repeat(Math.max(1, Math.floor(size / 2 / block.length))) : '';
          };
          const utf8 = s => new TextEncoder().encode(s);
          const same = (a, b) => {
            if (a.length !== b.length) return false;
            for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
            return true;
          };
          const kinds = {
            string: n => { const s = text(n); return [s, utf8(s)]; },
            buffer: n => { const b = random(n); return [b.buffer, b]; },
            view: n => { const b = random(n + 7); return [b.subarray(3, 3 + n), b.slice(3, 3 + n)]; },
            wide: n => { const b = random((n >> 2) * 4); return [new Float32Array(b.buffer), b]; },
            data: n => { const b = random(n + 5); return [new DataView(b.buffer, 2, n), b.slice(2, 2 + n)]; },
            blob: n => { const b = random(n); return [new Blob([b.slice(0, n >> 1), b.slice(n >> 1)], { type: 'application/x-probe' }), b]; },
            file: n => { const b = random(n); return [new File([b], 'a b.bin'), b]; },
            query: n => { const q = new URLSearchParams([['a', text(n >> 3)], ['a', 'ä&=+ ']]); return [q, utf8(q.toString())]; },
            document: n => {
              const d = new DOMParser().parseFromString('<a><b/></a>', 'application/xml');
              d.documentElement.append(text(n >> 3).replace(/[<>&\\u0000-\\u001f\\u007f-\\u009f]/g, ''));
              return way === 'xhr' ? [d, utf8(new XMLSerializer().serializeToString(d))] : [String(d), utf8(String(d))];
            },
            form: n => {
              const part = random(n);
              const form = new FormData();
              form.append('name', 'ä'); form.append('name', 'second'); form.append('empty', new File([], 'empty.txt'));
              form.append('file', new File([part], 'p "q".bin', { type: 'application/x-probe' }));
              return [form, part];
            },
            none: () => [null, new Uint8Array()],
          };
          const transports = {
            fetch: async (method, body) => {
              const answer = await fetch(mirror, { method, body });
              return [new Uint8Array(await answer.arrayBuffer()), answer.headers.get('x-type'), answer.headers.get('x-method')];
            },
            xhr: (method, body) => new Promise((done, failed) => {
              const x = new XMLHttpRequest();
              x.open(method, mirror);
              x.responseType = 'arraybuffer';
              x.onload = () => done([new Uint8Array(x.response), x.getResponseHeader('x-type'), x.getResponseHeader('x-method')]);
              x.onerror = () => failed(new Error('xhr error'));
              x.send(body);
            }),
          };
          const wrong = [];
          let [count, bytes] = [0, 0];
          const [name, make] = Object.entries(kinds)[kind];
          for (let i = 0; i < rounds; i++) {
            const size = i === 0 ? 0 : i === 1 ? maximum : Math.floor(Math.exp(next() / 2 ** 32 * Math.log(maximum)));
            const [body, expected] = make(size);
            const method = ['POST', 'PUT', 'PATCH', 'DELETE'][i % 4];
            try {
              let [got, type, sent] = await transports[way](method, body);
              if (name === 'form') {
                const read = await new Response(got, { headers: { 'content-type': type } }).formData();
                if (read.getAll('name').join() !== 'ä,second' || read.get('empty').size !== 0
                  || read.get('file').type !== 'application/x-probe') wrong.push(`${way} form ${size}: entries`);
                got = new Uint8Array(await read.get('file').arrayBuffer());
              }
              if (sent !== method) wrong.push(`${way} ${name}: ${method} arrived as ${sent}`);
              if (!same(got, expected)) wrong.push(`${way} ${name} ${size}: ${got.length} of ${expected.length}`);
            } catch (error) { wrong.push(`${way} ${name} ${method} ${size}: ${error}`); }
            count++;
            bytes += expected.length;
          }
          return { count, bytes, wrong };
        }
        """
}
