// `npm test`: makes the checkout ready, then the checks that need no run (each counts as one), all tests, and the tests in a
// browser. The last lines name what was skipped and why, then what failed; the very last is `N passed, N failed, N skipped`.
//
// A test that cannot run here says why, in one of two ways:
//   test('...', (context) => context.skip('the trace files are not here'))     found out while running
//   test.skipIf(!here)('... [skipped: the trace files are not here]', ...)     known beforehand; also for describe
// Arguments go to Vitest, and then no browser is started: `npm test -- --project core`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ensureNatsServer } from './nats-server.mjs'
import { prepare, runTool, tools, typeChecks } from './prepare.mjs'

prepare()
// loaded here, since it needs packages, and in a fresh clone there were none until now
const { runCountedBrowserTests } = await import('./browser-tests.mjs')
const staticChecks = [
  ...typeChecks,
  ['lint and format', tools.biome, ['check']],
  ['import rules', tools.depcruise, ['apps', 'packages', '--config', '.dependency-cruiser.cjs', '--output-type', 'err']],
  ['size of the console', '../tools/console-size.mjs', []],
]

const failed = []
let passed = 0
for (const [name, tool, args] of staticChecks) {
  const startedAt = performance.now()
  // progress goes to standard error; standard output ends with the counts
  const { status } = runTool(tool, args, { stdio: ['ignore', 2, 2] })
  process.stderr.write(`${status === 0 ? 'passed' : 'FAILED'}  ${name}  ${Math.round(performance.now() - startedAt)} ms\n`)
  if (status === 0) passed++
  else failed.push({ name, reason: 'see above' })
}

const args = process.argv.slice(2)
const skipped = []
for (const summary of args.length > 0 ? [runTests(args)] : [runTests([]), runInBrowser()]) {
  passed += summary.passed
  failed.push(...summary.failed)
  skipped.push(...summary.skipped)
}

for (const { name, reason } of skipped) process.stdout.write(`skipped  ${name}  (${reason})\n`)
for (const { name, reason } of failed) process.stdout.write(`FAILED   ${name}  (${reason})\n`)
process.stdout.write(`${passed} passed, ${failed.length} failed, ${skipped.length} skipped\n`)
process.exitCode = failed.length === 0 ? 0 : 1

function runTests(args) {
  const reporters = ['--reporter=default', '--reporter=./tools/vitest-summary.mjs']
  // other projects start none
  const nats = args.length === 0 || args.includes('server') || args.includes('cli') ? ensureNatsServer() : undefined
  return summarise('Vitest', (file) =>
    runTool(tools.vitest, ['run', ...reporters, ...args], {
      stdio: ['ignore', 2, 2],
      env: { GANTT_TEST_SUMMARY: file, ...(nats === undefined ? {} : { NATS_SERVER_PATH: nats }) },
    }),
  )
}

/** Where there is no browser and none could be installed, the tests are skipped; a continuous build has to have one. */
function runInBrowser() {
  return summarise('Playwright', runCountedBrowserTests)
}

function summarise(runner, run) {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantt-summary-'))
  const file = path.join(folder, 'summary.json')
  try {
    const { status, signal, missing } = run(file)
    if (missing !== undefined) return withoutBrowser(missing)
    const summary = readSummary(file)
    const ending = `${runner} ended with ${signal ?? status}`
    const name = `the tests of ${runner}`
    if (summary === undefined) return { passed: 0, failed: [{ name, reason: `${ending} and told nothing` }], skipped: [] }
    if (status !== 0 && summary.failed.length === 0) summary.failed.push({ name, reason: ending })
    if (summary.passed + summary.failed.length === 0) summary.failed.push({ name, reason: 'none ran' })
    return summary
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function withoutBrowser(reason) {
  const all = [{ name: 'the tests in a browser', reason }]
  const isRequired = (process.env.CI ?? 'false') !== 'false'
  return { passed: 0, failed: isRequired ? all : [], skipped: isRequired ? [] : all }
}

function readSummary(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
