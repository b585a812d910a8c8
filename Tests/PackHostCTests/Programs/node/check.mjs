// What the programs of this folder share. A fault ends the program with an exception and status 1.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import readline from 'node:readline'

/** The binding that the test has built: PACKHOST_NODE names its folder. */
export const binding = createRequire(import.meta.url)(process.env.PACKHOST_NODE)

export const PAGE = 'https://shop.package/'

export const [store, registry, rootFile, ...others] = process.argv.slice(2)

let input, lines

/** Asks the test for something, by a line, and waits until it is done. */
export async function ask(what) {
  input ??= readline.createInterface({ input: process.stdin })
  lines ??= input[Symbol.asyncIterator]()
  console.log(what)
  assert.equal((await lines.next()).value, 'done')
}

/** Nothing is asked any more, so the program may end. */
export function finish() {
  console.log('done')
  input?.close()
}

export function open(more = {}) {
  return new binding.PackHost({ store, registry, rootFile, activation: 'at-once', ...more })
}

/** A promise that is rejected, or a function that throws, with a code and a message. */
export async function fails(code, work) {
  const error = await thrown(work)
  assert.ok(error instanceof binding.PackHostError, String(error))
  assert.equal(error.code, `PACKHOST_${code}`, error.message)
  assert.ok(error.message.length > 0)
}

export async function throwing(type, work) {
  const error = await thrown(work)
  assert.ok(error instanceof type, `${type.name} expected, and not ${error}`)
}

async function thrown(work) {
  try {
    await work()
  } catch (error) {
    return error
  }
  throw new assert.AssertionError({ message: `nothing was thrown: ${work}` })
}

/** The text of the view's next page. */
export async function page(view) {
  const answer = await view.resolve({ kind: 'document', url: PAGE, headers: { accept: 'text/html' } }, { milliseconds: 60000 })
  assert.equal(answer.status, 200)
  const text = String(await answer.bytes())
  answer.close()
  return text
}

export async function text(view, url) {
  const answer = await view.resolve({ url })
  const text = String(await answer.bytes())
  answer.close()
  return text
}
