'use strict'

const addon = require('./addon.js')
const { dropped, wait } = require('./calls.js')
const { PackHostError } = require('./errors.js')

const CHUNK = 256 * 1024

/** The answer to one request. index.d.ts describes each property and method. */
class PackAnswer {
  #handle

  /** Called by `PackView.resolve`. */
  constructor(fields) {
    const { handle, ...rest } = fields
    if (typeof handle !== 'bigint') throw new TypeError('an answer is made by PackView.resolve()')
    Object.assign(this, rest)
    this.#handle = handle
    dropped.register(this, handle, this)
  }

  async read(position, length) {
    if (!Number.isSafeInteger(position) || position < 0) throw new RangeError(`position is ${position}`)
    if (!Number.isSafeInteger(length) || length < 0) throw new RangeError(`length is ${length}`)
    return wait(() => addon.read(this.#handle, position, length))
  }

  async bytes() {
    const chunks = []
    for (let position = 0; position < this.length; position += chunks.at(-1).length) {
      chunks.push(await this.#chunk(position))
    }
    return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
  }

  stream() {
    let position = 0
    return new ReadableStream({
      type: 'bytes',
      pull: async (controller) => {
        if (position >= this.length) {
          this.close()
          controller.close()
          // A reader with a buffer of its own waits for this.
          controller.byobRequest?.respond(0)
          return
        }
        try {
          const chunk = await this.#chunk(position)
          position += chunk.length
          controller.enqueue(new Uint8Array(chunk))
        } catch (error) {
          this.close()
          throw error
        }
      },
      cancel: () => this.close(),
    })
  }

  close() {
    dropped.unregister(this)
    addon.free(this.#handle)
    this.#handle = 0n
  }

  async #chunk(position) {
    const chunk = await this.read(position, Math.min(CHUNK, this.length - position))
    if (chunk.length === 0) {
      throw new PackHostError('PACKHOST_STORE_FAILED', `the body ends after ${position} of ${this.length} bytes`)
    }
    return chunk
  }
}

module.exports = { PackAnswer }
