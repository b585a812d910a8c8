'use strict'

const addon = require('./addon.js')
const { PackAnswer } = require('./answer.js')
const { call, dropped, limited, wait } = require('./calls.js')

const KINDS = ['part', 'document', 'frame']

/** What one web view shows. index.d.ts describes each method. */
class PackView {
  #handle

  /** Called by `PackHost.openView`. */
  constructor(handle) {
    if (typeof handle !== 'bigint') throw new TypeError('a view is made by PackHost.openView()')
    this.#handle = handle
    dropped.register(this, handle, this)
  }

  async resolve(request, options = {}) {
    if (request === null || typeof request !== 'object') throw new TypeError('request is no object')
    const kind = KINDS.indexOf(request.kind ?? 'part')
    if (kind < 0) throw new TypeError(`kind is one of ${KINDS.join(', ')}`)
    const headers = [...new Headers(request.headers)].flat()
    const fields = await limited(options, (limit, canceller) =>
      addon.resolve(this.#handle, kind, request.method ?? 'GET', request.url, headers, limit, canceller))
    return new PackAnswer(fields)
  }

  async confirm() {
    await wait(() => addon.confirmView(this.#handle))
  }

  load() {
    return JSON.parse(call(() => addon.load(this.#handle)))
  }

  close() {
    dropped.unregister(this)
    addon.free(this.#handle)
    this.#handle = 0n
  }
}

module.exports = { PackView }
