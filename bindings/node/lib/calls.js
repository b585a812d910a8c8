'use strict'

const addon = require('./addon.js')
const { PackHostError } = require('./errors.js')

/** A call of the addon that returns at once. */
function call(work) {
  try {
    return work()
  } catch (error) {
    throw PackHostError.from(error)
  }
}

/** A call that may take a while. */
async function wait(work) {
  try {
    return await work()
  } catch (error) {
    throw PackHostError.from(error)
  }
}

function milliseconds(value) {
  if (value === undefined || value === Infinity) return -1
  if (typeof value !== 'number' || Number.isNaN(value)) throw new TypeError(`milliseconds is ${value}`)
  return value
}

/** A canceller of libpackhost for one call. */
class Canceller {
  #handle
  #signal

  /** @param handle 0n for none */
  constructor(handle, signal) {
    this.#handle = handle
    this.#signal = signal
    signal?.addEventListener('abort', this.cancel)
  }

  get handle() {
    return this.#handle
  }

  cancel = () => addon.cancel(this.#handle)

  free() {
    this.#signal?.removeEventListener('abort', this.cancel)
    addon.free(this.#handle)
  }
}

/**
 * A call with a time limit and an AbortSignal.
 * @param work gets the limit and the handle of a canceller
 */
async function limited(options, work) {
  const { signal } = options
  const limit = milliseconds(options.milliseconds)
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw new TypeError('signal is no AbortSignal')
  signal?.throwIfAborted()
  const canceller = new Canceller(signal ? call(() => addon.newCanceller()) : 0n, signal)
  try {
    return await wait(() => work(limit, canceller.handle))
  } catch (error) {
    throw signal?.aborted && error.code === 'PACKHOST_CANCELLED' ? signal.reason : error
  } finally {
    canceller.free()
  }
}

/** Numbers of objects that were dropped and not closed. */
const dropped = new FinalizationRegistry((handle) => addon.free(handle))

module.exports = { call, dropped, limited, milliseconds, wait }
