// How long Node takes for a request of a file of 100 KB, from the request to its last byte. Prints the median and the 99th percentile in
// microseconds. Arguments: the store, the registry's address, the path of root.json, the number of requests, and the number of files, which
// are called file-0.bin and so on.
import assert from 'node:assert/strict'
import { open, others, page, PAGE } from './check.mjs'

const [count, files] = others.map(Number)
const host = open()
await host.update()
const view = host.openView()
await page(view)
const headers = {
  accept: '*/*', 'sec-fetch-dest': 'script', referer: PAGE,
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
}
const times = []
for (let round = 0; round < count * 2; round++) {
  const start = process.hrtime.bigint()
  const answer = await view.resolve({ url: `${PAGE}file-${(round * 7919) % files}.bin`, headers })
  const bytes = await answer.bytes()
  answer.close()
  // The first half warms the caches and the compiler.
  if (round >= count) times.push(Number(process.hrtime.bigint() - start) / 1000)
  assert.equal(bytes.length, 100000)
}
times.sort((one, other) => one - other)
console.log(times[Math.floor(count / 2)].toFixed(1), times[Math.floor((count * 99) / 100)].toFixed(1))
view.close()
await host.close()
