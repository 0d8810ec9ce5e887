// `npm start`: makes the checkout ready, then serves. The service runs in this very process, so signals reach it directly.
// It is started with a larger young generation (package.json): what a decision or an answer makes is gone before it is copied.
import { prepare } from './prepare.mjs'

prepare()
process.argv.splice(2, 0, 'serve')
await import('../apps/cli/dist/main.js')
