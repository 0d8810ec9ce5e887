// `npm run test:without-shared`: runs the tests that read the shared folder as if it did not exist, as on the machine of a newcomer.
// Each file must pass, and at least one test of each file must be skipped because the folder is missing.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sharedFolderReaders } from './checks/shared-folder-readers.mjs'
import { runTool, tools } from './prepare.mjs'

/** Runs the tests that read the shared folder. Returns the exit code. */
export function testWithoutShared() {
  const { readers, faults } = sharedFolderReaders()
  if (faults.length === 0) faults.push(...run(readers))
  for (const fault of faults) process.stdout.write(`FAILED   ${fault}\n`)
  process.stdout.write(`${readers.length} files read the shared folder; without it there are ${faults.length} problems\n`)
  return faults.length === 0 ? 0 : 1
}

/** Runs the files, and returns the problems. */
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
        faults.push(`${reader} reads the shared folder, but none of its tests was skipped with that reason when the folder was missing`)
    return faults
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
