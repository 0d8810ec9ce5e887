// `npm test`: makes the checkout ready, then runs the static checks, all tests in their short form, and the tests in a browser. Arguments
// are passed to Vitest, and no browser is started then: `npm test -- --project core`. tools/test-all.mjs runs what is omitted here.
import { prepare } from './prepare.mjs'

prepare()
// These modules are loaded after `prepare`, because they need packages, and a fresh clone has none before.
const { report, runInBrowser, runVitest } = await import('./count-tests.mjs')
const { runStaticChecks } = await import('./static-checks.mjs')

const args = process.argv.slice(2)
// Only the tests of these three projects start a NATS server.
const needsNats = args.length === 0 || ['server', 'cli', 'proofs'].some((project) => args.includes(project))
const summaries = [await runStaticChecks(), runVitest(args, { needsNats })]
if (args.length === 0) summaries.push(runInBrowser(['desktop']))
report(summaries)
