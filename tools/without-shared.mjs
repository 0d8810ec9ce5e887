// `npm run test:without-shared`: runs the tests that read the shared folder once more with it hidden, as a newcomer has it. Each file
// has to end well, and to have a test that was skipped by that reason. What else names the folder would not be found by this, and is
// refused: `testing/shared-folder.ts` is the only way to it, for test files only.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { root, runTool, tools } from './prepare.mjs'

const DOOR = 'testing/shared-folder.ts'
const FOLDERS = ['apps', 'bench', 'docs', 'e2e', 'packages', 'testing', 'tools']
const NOT_SOURCES = new Set(['node_modules', 'dist', 'generated', '.turbo'])
/** The folder in a path, in one piece or in two. */
const NAMES_FOLDER = /\.\.\/shared\b|['"`]\.\.['"`],\s*['"`]shared\b/
const IMPORTS_DOOR = /from '[./]*\/testing\/shared-folder\.ts'/

/** Returns the exit code. */
export function testWithoutShared() {
  const sources = FOLDERS.flatMap(sourcesIn).map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }))
  const faults = []
  for (const { file, text } of sources)
    if (file !== DOOR && NAMES_FOLDER.test(text) && file !== 'tools/without-shared.mjs')
      faults.push(`${file} names the shared folder itself; ask sharedData of ${DOOR} for the data`)
  const readers = sources.filter(({ text }) => IMPORTS_DOOR.test(text)).map(({ file }) => file)
  for (const file of readers)
    if (!file.endsWith('.test.ts')) faults.push(`${file} imports ${DOOR}, which is for test files (*.test.ts) only`)
  if (readers.length === 0) faults.push(`no file imports ${DOOR}; this check has nothing to run`)
  if (faults.length === 0) faults.push(...run(readers))
  for (const fault of faults) process.stdout.write(`FAILED   ${fault}\n`)
  process.stdout.write(`${readers.length} files read the shared folder; without it ${faults.length} faults\n`)
  return faults.length === 0 ? 0 : 1
}

/** Returns what is wrong. */
function run(readers) {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantt-without-shared-'))
  const file = path.join(folder, 'summary.json')
  try {
    const { status, signal } = runTool(tools.vitest, ['run', '--reporter=default', '--reporter=./tools/vitest-summary.mjs', ...readers], {
      stdio: ['ignore', 2, 2],
      env: { GANTT_SHARED: '', GANTT_TEST_SUMMARY: file },
    })
    const { failed, skipped } = JSON.parse(readFileSync(file, 'utf8'))
    const faults = failed.map(({ name, reason }) => `${name} (${reason})`)
    if (status !== 0 && faults.length === 0) faults.push(`Vitest ended with ${signal ?? status}`)
    for (const reader of readers)
      if (!skipped.some(({ name, reason }) => name.startsWith(`${reader}: `) && reason.includes('GANTT_SHARED')))
        faults.push(`${reader} reads the shared folder, and no test of it says that it was skipped for want of it`)
    return faults
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function sourcesIn(folder) {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`
    if (entry.isDirectory()) return NOT_SOURCES.has(entry.name) ? [] : sourcesIn(file)
    return /\.(ts|tsx|mjs|cjs)$/.test(entry.name) ? [file] : []
  })
}
