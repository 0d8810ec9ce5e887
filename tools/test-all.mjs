// `npm run test:all`: runs what `npm test` leaves out because it takes long (docs/testing.md): tests in their long form, and in a browser
// fleets of 10,000 hosts, every colour scheme, pages with a zoom of 200 %, and rare states. With GANTT_TEST_ALL=laws, laws are tried as
// often as the documents state, which takes hours.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { prepare, root } from './prepare.mjs'

prepare()
const { report, runInBrowser, runVitest } = await import('./count-tests.mjs')

const IMPORTS_EXTENT = /from '[./]*\/testing\/extent\.ts'/
const SUITE = /^(?:import|\}) .*from '(\.[^']*\.suite\.ts)'/gm
const NOT_SOURCES = new Set(['node_modules', 'dist', 'generated', '.turbo'])

const summaries = []
const files = ['apps', 'bench', 'docs', 'packages'].flatMap(testsIn).filter(hasLongForm)
if (files.length > 0)
  summaries.push(runVitest(files, { needsNats: true, env: { GANTT_TEST_ALL: process.env.GANTT_TEST_ALL === 'laws' ? 'laws' : '1' } }))
summaries.push(runInBrowser(['rare', 'colours', 'zoom-200', 'large', 'screenshots']))
report(summaries)

/** True if a test file runs only in the long form, or if the file or a suite that it calls does more in the long form. */
function hasLongForm(file) {
  if (file.endsWith('.long.test.ts')) return true
  const source = read(file)
  const suites = [...source.matchAll(SUITE)].map(([, suite]) => read(path.join(path.dirname(file), suite)))
  return [source, ...suites].some((text) => IMPORTS_EXTENT.test(text))
}

function read(file) {
  return readFileSync(path.join(root, file), 'utf8')
}

function testsIn(folder) {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`
    if (entry.isDirectory()) return NOT_SOURCES.has(entry.name) ? [] : testsIn(file)
    return file.endsWith('.test.ts') ? [file] : []
  })
}
