// One start of an app that opens its page. Prints the page's title. Arguments: the store, the registry's address, the path of root.json,
// and `confirm` if the page works; otherwise it is never confirmed. An update follows.
import { open, others, page } from './check.mjs'

const host = open({ activation: 'next-start' })
await host.start({ milliseconds: 60000 })
const view = host.openView()
console.log((await page(view)).match(/<title>(.*)<\/title>/)[1])
if (others.length > 0) await view.confirm()
await host.update({ milliseconds: 60000 })
view.close()
await host.close()
