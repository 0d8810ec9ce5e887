// Runs the tests in a browser against the built service (folder e2e/).
import path from 'node:path'
import { parseArgs } from 'node:util'
import { ensureBrowser } from './browser.mjs'
import { root, runTool, tools } from './prepare.mjs'

const FIXED = ['test', '--config', 'e2e/playwright.config.ts']

/** `npm run e2e`: passes the arguments to Playwright. Returns the exit code of Playwright. */
export function runBrowserTests(args, env = {}) {
  const missing = ensureBrowser()
  if (missing === undefined) return runTool(tools.playwright, [...FIXED, ...args], { env }).status ?? 1
  process.stderr.write(`The browser tests cannot run: ${missing}\n`)
  return 1
}

/**
 * `npm run e2e:large -- --hosts 100000`: runs the tests of the large fleet with any number of hosts. Arguments after a further `--` are
 * passed to Playwright.
 */
export function runLargeFleetTests(args) {
  const options = { hosts: { type: 'string', default: '100000' } }
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  // One worker is used, because each worker creates a fleet.
  const fixed = ['--project=large', '--workers=1']
  return runBrowserTests([...fixed, ...positionals], { GANTT_LARGE_FLEET: values.hosts })
}

/**
 * Runs the browser tests as a part of `npm test`. Progress is printed on standard error, and the counts are written to a file. `missing` is
 * the reason if the tests could not run.
 */
export function runCountedBrowserTests(projects, summaryFile) {
  const missing = ensureBrowser()
  if (missing !== undefined) return { missing }
  const reporter = `--reporter=list,${path.join(root, 'tools', 'playwright-summary.mjs')}`
  const chosen = projects.map((project) => `--project=${project}`)
  return runTool(tools.playwright, [...FIXED, ...chosen, reporter], { stdio: ['ignore', 2, 2], env: { GANTT_TEST_SUMMARY: summaryFile } })
}
