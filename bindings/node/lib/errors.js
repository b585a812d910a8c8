'use strict'

/** A call that failed. `code` is the name of the code in packhost.h, such as PACKHOST_UNREACHABLE; `message` is for a person. */
class PackHostError extends Error {
  constructor(code, message, options) {
    super(message, options)
    this.name = 'PackHostError'
    this.code = code
  }

  /** The addon's errors become these; others, such as a TypeError, stay as they are. */
  static from(error) {
    return error instanceof Error && error.constructor === Error && String(error.code).startsWith('PACKHOST_')
      ? new PackHostError(error.code, error.message)
      : error
  }
}

module.exports = { PackHostError }
