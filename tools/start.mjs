// `npm start`: makes the checkout ready, then serves. The service runs in this very process, so signals reach it directly.
import { prepare } from './prepare.mjs'

prepare()
process.argv.splice(2, 0, 'serve')
await import('../apps/cli/dist/main.js')
