// Code that `npm test` and `npm run test:all` share. It runs test runners, adds up their counts, and prints the last lines: the skipped
// tests with their reasons, the failed tests, and `N passed, N failed, N skipped`.
//
// A test that cannot run here says why, in one of two ways:
//   test('...', (context) => context.skip('the trace files are not here'))     known only while running
//   test.skipIf(!here)('... [skipped: the trace files are not here]', ...)     known before; the same works for describe
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { runCountedBrowserTests } from './browser-tests.mjs'
import { ensureNatsServer } from './nats-server.mjs'
import { runTool, tools } from './prepare.mjs'

/** Runs Vitest with these arguments. `needsNats`: the tests may start a nats-server, which is found or fetched first. */
export function runVitest(args, { needsNats, env = {} }) {
  const reporters = ['--reporter=default', '--reporter=./tools/vitest-summary.mjs']
  const nats = needsNats ? ensureNatsServer() : undefined
  return summarise('Vitest', (file) =>
    runTool(tools.vitest, ['run', ...reporters, ...args], {
      stdio: ['ignore', 2, 2],
      env: { ...env, GANTT_TEST_SUMMARY: file, ...(nats === undefined ? {} : { NATS_SERVER_PATH: nats }) },
    }),
  )
}

/**
 * Runs the tests of these projects of e2e/playwright.config.ts. If there is no browser and none could be installed, they are skipped; in
 * continuous integration this is a failure.
 */
export function runInBrowser(projects) {
  return summarise('Playwright', (file) => runCountedBrowserTests(projects, file))
}

/**
 * Prints the last lines, and sets the exit code. `GANTT_TEST_COUNTS` names a file in which consecutive runs (`.ci/run`) add up their
 * counts. The last line then has the sum of all runs.
 */
export function report(summaries) {
  const all = (key) => summaries.flatMap((summary) => summary[key])
  const passed = summaries.reduce((sum, summary) => sum + summary.passed, 0)
  const failed = all('failed')
  const skipped = all('skipped')
  for (const { name, reason } of skipped) process.stdout.write(`skipped  ${name}  (${reason})\n`)
  for (const { name, reason } of failed) process.stdout.write(`FAILED   ${name}  (${reason})\n`)
  const counts = { passed, failed: failed.length, skipped: skipped.length }
  printCounts(counts)
  const { GANTT_TEST_COUNTS: file } = process.env
  if (file !== undefined) {
    appendFileSync(file, `${JSON.stringify(counts)}\n`)
    const runs = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const sumOf = (key) => runs.reduce((sum, run) => sum + run[key], 0)
    if (runs.length > 1) {
      process.stdout.write(`All ${runs.length} runs:\n`)
      printCounts({ passed: sumOf('passed'), failed: sumOf('failed'), skipped: sumOf('skipped') })
    }
  }
  process.exitCode = failed.length === 0 ? 0 : 1
}

const printCounts = ({ passed, failed, skipped }) => process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`)

function summarise(runner, run) {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantt-summary-'))
  const file = path.join(folder, 'summary.json')
  try {
    const { status, signal, missing } = run(file)
    if (missing !== undefined) return withoutBrowser(missing)
    const summary = readSummary(file)
    const ending = `${runner} ended with ${signal ?? status}`
    const name = `the tests of ${runner}`
    if (summary === undefined) return { passed: 0, failed: [{ name, reason: `${ending} and reported nothing` }], skipped: [] }
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
