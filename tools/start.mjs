// `npm start`: makes the checkout ready, then serves. The service runs in this same process, so signals reach it directly. package.json
// starts Node with a larger young generation, so that the objects of a decision or an answer are collected before they would be copied.
import { prepare } from './prepare.mjs'

prepare()
process.argv.splice(2, 0, 'serve')
await import('../apps/cli/dist/main.js')
