// One run of an app: installs a version, shows it, confirms it, takes the next one while a page is open, goes back from a third that never
// works, and starts without its registry. Arguments: the store, the registry's address, the path of root.json. It asks for versions by
// lines.
import assert from 'node:assert/strict'
import events from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import { ask, binding, fails, finish, open, page, PAGE, store, text } from './check.mjs'

const host = open({ schemes: ['h5pack'], model: 'a "model" \\ of ü 🛳' })
await host.start()
const view = host.openView()
await install()
await firstPage()
await bytes()
await limits()
await nextVersion()
await brokenVersion()
// An answer outlives its host.
const answer = await view.resolve({ url: PAGE + 'app.js' })
assert.equal(await host.close({ milliseconds: 20000 }), true)
assert.equal(String(await answer.bytes()), "say('two')")
answer.close()
await fails('CLOSED', () => view.resolve({ url: PAGE + 'app.js' }))
view.close()
await withoutRegistry()
finish()

async function install() {
  await fails('NOT_FOUND', () => view.confirm())
  assert.equal((await host.check({ packages: 'shop' })).packages.shop.outcome, 'would-install')
  const phases = new Set()
  let received = 0
  const report = await host.update({
    milliseconds: 60000,
    onProgress: (progress) => {
      phases.add(progress.phase)
      assert.equal(progress.package, progress.phase === 'checking' ? null : 'shop')
      assert.equal(progress.version, progress.phase === 'checking' ? null : '1.0.0')
      assert.ok(progress.expected === -1 || progress.expected >= progress.received)
      received = Math.max(received, progress.received)
    },
  })
  assert.equal(report.packages.shop.outcome, 'activated')
  for (const phase of ['checking', 'downloading', 'installing']) assert.ok(phases.has(phase), [...phases].join())
  assert.ok(received > 0)
}

async function firstPage() {
  const first = await view.resolve({ kind: 'document', url: PAGE })
  const headers = Object.fromEntries(first.headers)
  assert.deepEqual([first.status, first.online, first.reason], [200, null, 'installed'])
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  assert.equal(headers['content-length'], String(first.length))
  assert.match(String(await first.bytes()), /<title>one<\/title>/)
  first.close()
  assert.equal(await text(view, PAGE + 'app.js'), "say('one')")
  assert.equal(await text(view, 'h5pack://shop/app.js'), "say('one')")

  const same = await view.resolve({ url: PAGE, headers: { 'If-None-Match': headers.etag } })
  assert.deepEqual([same.status, same.length, same.file], [304, 0, null])
  assert.equal((await same.bytes()).length, 0)
  same.close()
  const none = await view.resolve({ url: PAGE + 'none.js' })
  assert.deepEqual([none.status, none.reason], [404, 'notInVersion'])
  none.close()
  const foreign = await view.resolve({ url: 'https://example.org/ünd?🛳' })
  assert.deepEqual([foreign.status, foreign.online, foreign.reason], [0, 'https://example.org/ünd?🛳', 'foreign'])
  foreign.close()

  assert.deepEqual(view.load().missing, [PAGE + 'none.js'])
  await fails('REFUSED', () => host.confirm('shop', '1.0.0', 'not the token'))
  await view.confirm()
  await view.confirm()
  assert.match(JSON.stringify(await host.status()), /"confirmed":true/)
}

/** The same bytes by every way, whole and in parts. */
async function bytes() {
  const whole = await view.resolve({ url: PAGE + 'data.txt' })
  const file = fs.readFileSync(whole.file).subarray(whole.offset, whole.offset + whole.length)
  assert.ok(file.length > 100000)
  assert.deepEqual(await whole.bytes(), file)
  assert.deepEqual(await whole.read(70000, 10), file.subarray(70000, 70010))
  assert.equal((await whole.read(Number.MAX_SAFE_INTEGER, 10)).length, 0)
  assert.equal((await whole.read(0, 0)).length, 0)
  const chunks = []
  for await (const chunk of whole.stream()) chunks.push(chunk)
  assert.deepEqual(Buffer.concat(chunks), file)
  // The end of the stream has closed it.
  await fails('CLOSED', () => whole.bytes())

  // A reader with a buffer of its own, which leaves in the middle.
  const again = await view.resolve({ url: PAGE + 'data.txt' })
  const reader = again.stream().getReader({ mode: 'byob' })
  const { value } = await reader.read(new Uint8Array(1000))
  assert.deepEqual(Buffer.from(value), file.subarray(0, value.length))
  await reader.cancel()
  await fails('CLOSED', () => again.bytes())

  const part = await view.resolve({ url: PAGE + 'data.txt', headers: { range: 'bytes=100-70099' } })
  assert.equal(part.status, 206)
  assert.equal(Object.fromEntries(part.headers)['content-range'], `bytes 100-70099/${file.length}`)
  assert.deepEqual(await part.bytes(), file.subarray(100, 70100))
  part.close()
  const beyond = await view.resolve({ url: PAGE + 'data.txt', headers: { range: 'bytes=90000000-' } })
  assert.equal(beyond.status, 416)
  beyond.close()
}

async function limits() {
  const before = AbortSignal.abort(new Error('before'))
  await assert.rejects(host.update({ signal: before }), /before/)
  host.setNetwork('metered')
  host.setNetwork('unknown')
  await host.setChannel('stable')
  // A registry that takes connections and never answers: an update of it does not end by itself.
  const mute = net.createServer().listen(0, '127.0.0.1')
  await events.once(mute, 'listening')
  const other = open({ store: store + '-of-mute', registry: `http://127.0.0.1:${mute.address().port}` })
  await fails('TIMED_OUT', () => other.update({ milliseconds: 0 }))
  await fails('TIMED_OUT', () => other.update({ milliseconds: 200 }))
  await fails('CANCELLED', () => other.update({ onProgress: () => false }))
  const controller = new AbortController()
  const update = other.update({ signal: controller.signal, onProgress: () => controller.abort(new Error('within')) })
  await assert.rejects(update, /within/)
  setTimeout(() => other.close({ milliseconds: 20000 }), 300)
  await fails('CLOSED', () => other.update())
  mute.close()
}

/** The page keeps its version over an update; the next one is new. */
async function nextVersion() {
  await ask('publish 2.0.0 two')
  assert.equal((await host.update({ packages: [binding.PackHost.OPENED] })).packages.shop.version, '2.0.0')
  assert.equal(view.load().version, '1.0.0')
  assert.equal(await text(view, PAGE + 'app.js'), "say('one')")
  await fails('REFUSED', () => view.confirm())
  assert.match(await page(view), /<title>two<\/title>/)
  assert.equal(await text(view, PAGE + 'app.js'), "say('two')")
  const { package: name, version, token } = view.load()
  await host.confirm(name, version, token)
}

/** A version that does not work, by the app's own word, and back. */
async function brokenVersion() {
  await ask('publish 3.0.0 three')
  assert.equal((await host.update({ packages: ['shop'] })).packages.shop.version, '3.0.0')
  assert.match(await page(view), /<title>three<\/title>/)
  assert.equal(await host.rollBack('shop', 'its page is blank: ü 🛳'), '2.0.0')
  assert.match(await page(view), /<title>two<\/title>/)
  assert.match(JSON.stringify(await host.explain({ packages: 'shop', events: 100 })), /its page is blank: ü 🛳/)
  await fails('NOT_FOUND', () => host.rollBack('other'))
  await host.endSession({ milliseconds: 5000 })
}

async function withoutRegistry() {
  const host = new binding.PackHost({ store, registry: 'http://127.0.0.1:9' })
  const view = host.openView()
  await host.start()
  assert.match(await page(view), /<title>two<\/title>/)
  assert.equal(await text(view, PAGE + 'app.js'), "say('two')")
  await fails('UNREACHABLE', () => host.update())
  view.close()
  await host.close()
}
