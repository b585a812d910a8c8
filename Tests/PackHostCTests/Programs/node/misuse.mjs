// What an app may do wrong, one by one and then at random, also in eight workers at the same time, and none of it may end the process.
// Arguments: a store with a version of shop, the registry's address, the path of root.json, the number of random calls.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { binding, fails, finish, open, others, PAGE, page, throwing } from './check.mjs'

const THREADS = 8
const SLOTS = 8
const calls = Number(others[0])

if (isMainThread) {
  await wrongArguments()
  await closed()
  await listeners()
  await many(1)
  await Promise.all(Array.from({ length: THREADS }, (_, number) => worker(number + 2, false)))
  // Workers that are ended while their calls are under way.
  await Promise.all(Array.from({ length: THREADS }, (_, number) => worker(number + 2, true)))
  finish()
} else {
  await many(workerData)
  process.exit(0)
}

function worker(seed, isEnded) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: seed, argv: process.argv.slice(2), stdin: true })
    worker.on('error', reject)
    worker.on('exit', (code) => (isEnded || code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))))
    if (isEnded) setTimeout(() => worker.terminate(), 300 + 40 * seed)
  })
}

async function wrongArguments() {
  const { PackAnswer, PackHost, PackView } = binding
  for (const wrong of [undefined, null, 'x', 7]) await throwing(TypeError, () => new PackHost(wrong))
  for (const wrong of [{}, [], { store: '' }, { store: '/tmp/x', registry: 'x', colour: 1 }])
    await fails('WRONG_ARGUMENT', () => new PackHost(wrong))
  await throwing(TypeError, () => new PackView())
  await throwing(TypeError, () => new PackAnswer({}))
  // A made-up handle is one that was never given out.
  await fails('CLOSED', () => new PackView(1n << 60n).confirm())
  const host = open()
  const view = host.openView()
  for (const wrong of [undefined, null, 7]) await throwing(TypeError, () => view.resolve(wrong))
  await throwing(TypeError, () => view.resolve({}))
  await throwing(TypeError, () => view.resolve({ url: PAGE, kind: 'window' }))
  await throwing(TypeError, () => view.resolve({ url: PAGE + '\0' }))
  await throwing(TypeError, () => view.resolve({ url: PAGE, method: 7 }))
  await throwing(TypeError, () => view.resolve({ url: PAGE }, { milliseconds: 'x' }))
  await throwing(TypeError, () => view.resolve({ url: PAGE }, { signal: {} }))
  await throwing(TypeError, () => host.update({ onProgress: 7 }))
  await throwing(TypeError, () => host.update({ packages: 7 }))
  await throwing(TypeError, () => host.rollBack())
  await throwing(TypeError, () => host.confirm('shop', '1.0.0'))
  await throwing(TypeError, () => host.setChannel(null))
  await throwing(TypeError, () => host.setNetwork('slow'))
  await throwing(TypeError, () => host.explain({ events: -1 }))
  await throwing(TypeError, () => host.explain({ events: 'x' }))
  await fails('WRONG_ARGUMENT', () => host.explain({ packages: 'shop,,' }))
  await fails('WRONG_ARGUMENT', () => host.confirm('shop', 'not a version', 't'))
  const answer = await view.resolve({ url: PAGE, kind: 'document' })
  for (const wrong of [-1, 1.5, NaN, 'x', undefined, 1n]) await throwing(RangeError, () => answer.read(wrong, 1))
  for (const wrong of [-1, 1.5, NaN, 'x', undefined, 1n]) await throwing(RangeError, () => answer.read(0, wrong))
  answer.close()
  view.close()
  await host.close()
  await addonItself()
}

/** The addon, called by nobody but lib/, with anything. */
async function addonItself() {
  const addon = createRequire(import.meta.url)(path.join(process.env.PACKHOST_NODE, 'packhost.node'))
  const things = [undefined, null, 0, -1, NaN, 2 ** 53, 0n, 1n, -1n, 1n << 70n, '', 'x\0', [], [1], ['a'], {}, () => {}, Symbol('x')]
  for (const [name, call] of Object.entries(addon)) {
    for (let round = 0; round < 200; round++) {
      const values = Array.from({ length: round % 9 }, (_, place) => things[(round * 7 + place * 5 + name.length) % things.length])
      try {
        await call(...values)
      } catch (error) {
        assert.ok(error instanceof Error, String(error))
      }
    }
  }
}

/** Each object after its close, and closed twice. */
async function closed() {
  const host = open()
  const view = host.openView()
  const answer = await view.resolve({ kind: 'document', url: PAGE })
  const reading = answer.bytes()
  answer.close()
  answer.close()
  await reading.catch((error) => assert.equal(error.code, 'PACKHOST_CLOSED'))
  await fails('CLOSED', () => answer.bytes())
  assert.equal(answer.status, 200)
  await assert.rejects(new Response(answer.stream()).text())
  view.close()
  view.close()
  await fails('CLOSED', () => view.confirm())
  await fails('CLOSED', () => view.load())
  await fails('CLOSED', () => view.resolve({ url: PAGE }))
  const other = host.openView()
  assert.deepEqual(await Promise.all([host.close(), host.close()]), [true, false])
  await fails('CLOSED', () => host.status())
  await fails('CLOSED', () => host.openView())
  await fails('CLOSED', () => host.update())
  await fails('CLOSED', () => other.resolve({ url: PAGE }))
  other.close()
}

/** Listeners that throw, call the host, and close it. */
async function listeners() {
  class Odd extends Error {}
  const host = open()
  let count = 0
  await throwing(Odd, () => host.update({ onProgress: () => { count++; throw new Odd() } }))
  assert.equal(count, 1)
  await throwing(RangeError, () => host.update({ onProgress: function endless() { return endless() + 1 } }))
  let status
  await host.update({ onProgress: () => { status ??= host.status() } })
  assert.ok((await status).packages.shop)
  let closing
  const update = host.update({ onProgress: () => { closing ??= host.close({ milliseconds: 20000 }) } })
  await update.catch((error) => assert.equal(error.code, 'PACKHOST_CLOSED'))
  assert.equal(await closing, true)
  await fails('CLOSED', () => host.status())
}

/** Calls at random on objects that all of them use and close, eight at a time. */
async function many(seed) {
  const kept = { host: [], view: [], answer: [] }
  let state = seed
  // Lehmer's generator.
  const random = (below) => (state = (state * 48271) % 0x7fffffff) % below
  const give = async (kind, object) => {
    const slot = random(SLOTS)
    const old = kept[kind][slot]
    kept[kind][slot] = object
    await old?.close()
  }
  const one = async () => {
    const host = kept.host[random(SLOTS)]
    const view = kept.view[random(SLOTS)]
    const answer = kept.answer[random(SLOTS)]
    if (!host) return give('host', open({ schemes: ['h5pack'] }))
    switch (random(16)) {
      case 0: return give('host', open({ schemes: ['h5pack'] }))
      case 1: return give('view', host.openView())
      case 2: return random(4) === 0 ? host.close({ milliseconds: random(20) }) : undefined
      case 3: return view?.close()
      case 4: return answer?.close()
      case 5: return host.status()
      case 6: return host.explain({ events: 5 })
      case 7: return host.check({ milliseconds: random(30) })
      case 8: return host.update({ milliseconds: random(60), onProgress: () => random(4) !== 0 })
      case 9: return host.update({ signal: AbortSignal.timeout(random(30)), milliseconds: 1000 })
      case 10: return view?.confirm()
      case 11: return view?.load()
      case 12: return answer && new Response(answer.stream()).arrayBuffer()
      case 13: return answer?.read(random(100), random(100000))
      default: {
        if (!view) return undefined
        const request = random(4) === 0 ? { kind: 'document', url: PAGE } : { url: 'h5pack://shop/data.txt' }
        return give('answer', await view.resolve(request, { milliseconds: random(200) }))
      }
    }
  }
  const lane = async () => {
    for (let call = 0; call < calls / THREADS; call++) {
      try {
        await one()
      } catch (error) {
        const isExpected = error instanceof binding.PackHostError || error.name === 'TimeoutError'
        assert.ok(isExpected && error.code !== 'PACKHOST_FAILED', error.stack)
      }
    }
  }
  await Promise.all(Array.from({ length: THREADS }, lane))
  for (const object of Object.values(kept).flat()) await object?.close()
}
