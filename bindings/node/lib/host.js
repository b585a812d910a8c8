'use strict'

const addon = require('./addon.js')
const { call, limited, milliseconds, wait } = require('./calls.js')
const { PackView } = require('./view.js')

const NETWORKS = ['unknown', 'unmetered', 'metered']
const PHASES = ['checking', 'downloading', 'unpacking', 'installing']

function packages(value) {
  if (value === undefined || value === null || typeof value === 'string') return value
  if (!Array.isArray(value)) throw new TypeError('packages is a string or an array of strings')
  return value.join(',')
}

/**
 * Tells a listener of an update what the addon says.
 * @returns a function for the addon, and what the listener has thrown
 */
function listening(onProgress) {
  const heard = { thrown: undefined, listen: null }
  if (onProgress === undefined) return heard
  if (typeof onProgress !== 'function') throw new TypeError('onProgress is no function')
  heard.listen = (progress) => {
    try {
      return onProgress({ ...progress, phase: PHASES[progress.phase] ?? 'other' }) !== false
    } catch (error) {
      heard.thrown = { error }
      return false
    }
  }
  return heard
}

/** The device side of packtool: keeps the packages of an app on one device. index.d.ts describes each method. */
class PackHost {
  static OPENED = '@opened'

  #handle

  constructor(settings) {
    if (settings === null || typeof settings !== 'object') throw new TypeError('settings is no object')
    this.#handle = call(() => addon.open(JSON.stringify(settings)))
  }

  async close(options = {}) {
    const handle = this.#handle
    this.#handle = 0n
    if (handle === 0n) return false
    return wait(() => addon.close(handle, milliseconds(options.milliseconds ?? 5000)))
  }

  async start(options = {}) {
    await limited(options, (limit, canceller) => addon.start(this.#handle, limit, canceller))
  }

  async endSession(options = {}) {
    await limited(options, (limit, canceller) => addon.endSession(this.#handle, limit, canceller))
  }

  setNetwork(network) {
    const number = NETWORKS.indexOf(network)
    if (number < 0) throw new TypeError(`network is one of ${NETWORKS.join(', ')}`)
    call(() => addon.setNetwork(this.#handle, number))
  }

  async setChannel(channel) {
    await wait(() => addon.setChannel(this.#handle, channel))
  }

  async check(options = {}) {
    const names = packages(options.packages)
    return JSON.parse(
      await limited(options, (limit, canceller) => addon.check(this.#handle, names, limit, canceller)))
  }

  async update(options = {}) {
    const names = packages(options.packages)
    const heard = listening(options.onProgress)
    try {
      return JSON.parse(
        await limited(options, (limit, canceller) =>
          addon.update(this.#handle, names, heard.listen, limit, canceller)))
    } finally {
      // Also if the update had ended before, and holds.
      if (heard.thrown) throw heard.thrown.error
    }
  }

  async rollBack(name, reason) {
    return wait(() => addon.rollBack(this.#handle, name, reason))
  }

  async confirm(name, version, token) {
    await wait(() => addon.confirm(this.#handle, name, version, token))
  }

  async status() {
    return JSON.parse(await wait(() => addon.status(this.#handle)))
  }

  async explain(options = {}) {
    const names = packages(options.packages)
    return JSON.parse(await wait(() => addon.explain(this.#handle, names, options.events ?? 20)))
  }

  openView() {
    return new PackView(call(() => addon.newView(this.#handle)))
  }
}

module.exports = { PackHost }
