// The handler for Electron's protocol.handle, called as Electron calls it: with a Request of the web, for a Response. Arguments: the store,
// the registry's address, the path of root.json.
import assert from 'node:assert/strict'
import http from 'node:http'
import { binding, fails, finish, open, PAGE, registry } from './check.mjs'

// A service of the app, and what it was asked.
const asked = []
const service = http.createServer(async (request, response) => {
  const body = []
  for await (const chunk of request) body.push(chunk)
  asked.push([request.method, request.url, request.headers['x-app'], String(Buffer.concat(body))])
  response.writeHead(request.url === '/away' ? 302 : 201, { location: '/there', 'x-service': 'yes' }).end('served')
})
await new Promise((resolve) => service.listen(0, '127.0.0.1', resolve))
const away = `http://127.0.0.1:${service.address().port}`

const host = open()
const view = host.openView()
const handle = binding.protocolHandler(view)

// Nothing is installed: it comes while it is shown.
const page = await handle(new Request(PAGE, { headers: { 'sec-fetch-dest': 'document', accept: 'text/html' } }))
assert.ok(page instanceof Response)
assert.equal(page.status, 200)
assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
assert.match(await page.text(), /<title>one<\/title>/)
assert.equal(view.load().package, 'shop')

const script = await handle(new Request(PAGE + 'app.js'))
assert.equal(await script.text(), "say('one')")
const head = await handle(new Request(PAGE + 'app.js', { method: 'HEAD' }))
assert.deepEqual([head.status, head.body, head.headers.get('content-length')], [200, null, '10'])
const part = await handle(new Request(PAGE + 'data.txt', { headers: { range: 'bytes=0-3' } }))
assert.deepEqual([part.status, (await part.text()).length], [206, 4])
const same = await handle(new Request(PAGE, { headers: { 'if-none-match': page.headers.get('etag') } }))
assert.deepEqual([same.status, same.body], [304, null])
assert.equal((await handle(new Request(PAGE + 'none.js'))).status, 404)
const post = await handle(new Request(PAGE, { method: 'POST', body: 'x' }))
assert.equal(post.status, 405)

// What is nobody's package goes to its own address, with everything. A redirect is the page's to follow.
const order = await handle(new Request(away + '/order?n=1', { method: 'POST', headers: { 'x-app': '7' }, body: 'an order' }))
assert.deepEqual([order.status, order.headers.get('x-service'), await order.text()], [201, 'yes', 'served'])
assert.deepEqual(asked, [['POST', '/order?n=1', '7', 'an order']])
assert.equal((await handle(new Request(away + '/away'))).status, 302)

// An app's own ways to fetch and to tell documents.
const own = binding.protocolHandler(view, { fetch: async (url) => new Response(`own ${url}`), kindOf: () => 'frame' })
assert.equal(await (await own(new Request(away + '/x'))).text(), `own ${away}/x`)
assert.equal((await own(new Request(PAGE))).status, 200)

// A request that is given up, and a body that nobody reads to its end.
const given = AbortSignal.abort(new Error('given up'))
await assert.rejects(handle(new Request(PAGE, { signal: given })), /given up|abort/i)
await (await handle(new Request(PAGE + 'data.txt'))).body.cancel()

await view.confirm()
await host.close()
await fails('CLOSED', () => handle(new Request(PAGE)))
view.close()
service.closeAllConnections()
service.close()
finish()
