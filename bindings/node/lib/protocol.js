'use strict'

/** What a request is for, as far as its headers say. Chromium marks the documents of windows and of frames. */
function kindOf(request) {
  const destination = request.headers.get('sec-fetch-dest') ?? request.destination
  if (destination === 'document') return 'document'
  if (destination === 'iframe' || destination === 'frame') return 'frame'
  if (destination) return 'part'
  return request.headers.has('upgrade-insecure-requests') ? 'document' : 'part'
}

/**
 * A handler for Electron's `protocol.handle`: answers the requests of one view from the installed version. index.d.ts describes the
 * options.
 */
function protocolHandler(view, options = {}) {
  const online = options.fetch ?? fetch
  const kind = options.kindOf ?? kindOf
  return async (request) => {
    const limits = { milliseconds: options.milliseconds ?? 30000, signal: request.signal ?? undefined }
    const { method, url, headers } = request
    const answer = await view.resolve({ kind: kind(request), method, url, headers }, limits)
    if (answer.online !== null) {
      answer.close()
      return online(answer.online, {
        method, headers, body: request.body, duplex: 'half', redirect: 'manual', signal: limits.signal,
      })
    }
    if (answer.length === 0 || method === 'HEAD') {
      answer.close()
      return new Response(null, { status: answer.status, headers: answer.headers })
    }
    return new Response(answer.stream(), { status: answer.status, headers: answer.headers })
  }
}

module.exports = { kindOf, protocolHandler }
