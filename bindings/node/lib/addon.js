'use strict'

// scripts/build-bindings.sh puts the addon beside index.js, and libpackhost beside the addon.
module.exports = require('../packhost.node')
