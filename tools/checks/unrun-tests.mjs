// Finds tests that are never run: a test file that no project of vitest.config.ts includes, a browser test outside of Playwright's folder,
// and a suite that no file imports. Nobody would notice that such a test fails. Run as a command (a static check), it prints these tests,
// and exits with 1 if there are any. Its argument may name another checkout.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { createVitest } from 'vitest/node'
import { root } from '../prepare.mjs'

const TEST = /\.test\.[cm]?[jt]sx?$/
const SPEC = /\.spec\.[cm]?[jt]sx?$/
const SUITE = /\.suite\.tsx?$/
const SOURCE = /\.[cm]?[jt]sx?$/
/** The folder of the browser tests: `testDir` of e2e/playwright.config.ts. */
const BROWSER_TESTS = 'e2e/'
/** Folders that are installed, built or generated. */
const NOT_SOURCES = new Set(['node_modules', 'dist', 'generated'])

/** The tests of a checkout that are never run, each with the reason as a sentence. */
async function unrunTests(folder) {
  const run = await filesOfVitest(folder)
  const files = sourcesIn(folder, '')
  const suites = files.filter((file) => SUITE.test(file))
  const used = new Set(files.flatMap((file) => suitesUsedBy(folder, file)))
  return [
    ...files
      .filter((file) => TEST.test(file) && !run.has(file))
      .map((file) => `${file} is a test that no project of vitest.config.ts includes: move it into the folder of one, or add its folder`),
    ...files
      .filter((file) => SPEC.test(file) && !file.startsWith(BROWSER_TESTS))
      .map((file) => `${file} is named as a browser test, which run from ${BROWSER_TESTS} only: move it there, or name it .test.ts`),
    ...suites
      .filter((file) => !used.has(file))
      .map((file) => `${file} is a suite that no file imports: call it from a test of each implementation`),
  ]
}

/** The files that Vitest itself finds, so that its patterns do not have to be interpreted here. No test is run. */
async function filesOfVitest(folder) {
  const vitest = await createVitest('test', { root: folder, watch: false })
  try {
    const found = await vitest.globTestSpecifications()
    return new Set(found.map(({ moduleId }) => path.relative(folder, moduleId).replaceAll(path.sep, '/')))
  } finally {
    await vitest.close()
  }
}

function suitesUsedBy(folder, file) {
  const text = readFileSync(path.join(folder, file), 'utf8')
  return Array.from(text.matchAll(/from '(\.[^']*\.suite\.tsx?)'/g), ([, name]) => path.posix.join(path.posix.dirname(file), name))
}

function sourcesIn(folder, within) {
  return readdirSync(path.join(folder, within), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(within, entry.name)
    if (entry.isDirectory()) return NOT_SOURCES.has(entry.name) || entry.name.startsWith('.') ? [] : sourcesIn(folder, file)
    return SOURCE.test(entry.name) ? [file] : []
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  // Files named .long.test.ts belong to a project only in the long form.
  process.env.GANTT_TEST_ALL = '1'
  // Vitest resolves the folders of projects relative to the working directory.
  process.chdir(process.argv[2] ?? root)
  const faults = await unrunTests(process.cwd())
  for (const fault of faults) process.stdout.write(`${fault}\n`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
