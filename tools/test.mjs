// `npm test`: makes the checkout ready, then type-check, lint, import rules and all tests. Each of the first three counts as
// one. The last lines name what was skipped and why, then what failed; the very last is `N passed, N failed, N skipped`.
//
// A test that cannot run here says why, in one of two ways:
//   test('...', (context) => context.skip('the trace files are not here'))     found out while running
//   test.skipIf(!here)('... [skipped: the trace files are not here]', ...)     known beforehand; also for describe
// Arguments go to Vitest: `npm test -- --project core`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { prepare, runTool, tools } from './prepare.mjs'

prepare()
const staticChecks = [
  ['type check', tools.turbo, ['run', 'check', '--output-logs=errors-only', `--concurrency=${availableParallelism()}`]],
  ['lint and format', tools.biome, ['check']],
  ['import rules', tools.depcruise, ['apps', 'packages', '--config', '.dependency-cruiser.cjs', '--output-type', 'err']],
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

const tests = runTests(process.argv.slice(2))
passed += tests.passed
failed.push(...tests.failed)

for (const { name, reason } of tests.skipped) process.stdout.write(`skipped  ${name}  (${reason})\n`)
for (const { name, reason } of failed) process.stdout.write(`FAILED   ${name}  (${reason})\n`)
process.stdout.write(`${passed} passed, ${failed.length} failed, ${tests.skipped.length} skipped\n`)
process.exitCode = failed.length === 0 ? 0 : 1

function runTests(args) {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantt-summary-'))
  const file = path.join(folder, 'summary.json')
  try {
    const reporters = ['--reporter=default', '--reporter=./tools/vitest-summary.mjs']
    const env = { GANTT_TEST_SUMMARY: file }
    const { status, signal } = runTool(tools.vitest, ['run', ...reporters, ...args], { stdio: ['ignore', 2, 2], env })
    const summary = readSummary(file)
    const ending = `Vitest ended with ${signal ?? status}`
    if (summary === undefined) return { passed: 0, failed: [{ name: 'the tests', reason: `${ending} and told nothing` }], skipped: [] }
    if (status !== 0 && summary.failed.length === 0) summary.failed.push({ name: 'the tests', reason: ending })
    if (summary.passed + summary.failed.length === 0) summary.failed.push({ name: 'the tests', reason: 'none ran' })
    return summary
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readSummary(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
