// An app that ends its process in the middle of an update, with other calls under way. Arguments: a new store, the registry's address, the
// path of root.json.
import { open, PAGE } from './check.mjs'

const host = open()
const view = host.openView()
host.update({
  onProgress: (progress) => {
    if (progress.phase !== 'downloading') return
    for (let count = 0; count < 8; count++) view.resolve({ kind: 'document', url: PAGE })
    console.log('leaving')
    process.exit(0)
  },
})
