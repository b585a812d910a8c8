'use strict'

const { PackAnswer } = require('./lib/answer.js')
const { PackHost } = require('./lib/host.js')
const { PackHostError } = require('./lib/errors.js')
const { PackView } = require('./lib/view.js')
const { protocolHandler } = require('./lib/protocol.js')

module.exports = { PackAnswer, PackHost, PackHostError, PackView, protocolHandler }
