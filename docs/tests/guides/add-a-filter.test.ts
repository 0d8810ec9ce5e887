import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { FEATURE_LEVEL } from '../../../packages/scheduler-core/src/records/change.ts'
import { isLongForm, longFormNote } from '../../../testing/extent.ts'
import {
  applyPage,
  checkout,
  checkTypesOfCore,
  copyWorkspace,
  readBlocks,
  removedLines,
  runTests,
  tooLargeAfter,
} from '../../testing/follow-page.ts'

// Follows docs/add-a-filter.md in a copy of the packages: a `ts` block is a file, a `diff` block an edit of one, an `sh` block is run.

/** The tests that list every filter or every code, in the core. */
const CORE_TESTS = [
  'filters',
  'pipeline',
  'records/part-levels.test.ts',
  'text/amount-text.test.ts',
  'text/codes.test.ts',
  'text/tenant-codes.test.ts',
  'what-if/would-fit/remedies/remedies.test.ts',
].map((name) => `packages/scheduler-core/src/${name}`)

test.skipIf(!isLongForm)(`the filter of the page is in every list of filters and of codes${longFormNote}`, async () => {
  const folder = await copyWorkspace('gantt-filter-')
  try {
    const touched = await applyPage(folder, 'add-a-filter.md')
    await checkTypesOfCore(
      folder,
      touched.filter((file) => file.startsWith('packages/')),
    )
    await runTests(folder, ['--project', 'core'], CORE_TESTS)
    await runTests(folder, ['--project', 'server'], ['apps/server/src/errors-page.test.ts'])
    await runTests(folder, ['--project', 'docs'], ['docs/tests/python-codes.test.ts'])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('each line that the page removes exists in the source, and no changed file has the example filter yet', async () => {
  const blocks = await readBlocks('add-a-filter.md')
  expect(blocks.map(({ form }) => form).join(' ')).toBe('ts diff diff diff diff diff diff diff diff diff diff diff diff diff sh')
  for (const { file, removed } of blocks.filter(({ form }) => form === 'diff').map(removedLines)) {
    const source = await readFile(path.join(checkout, file), 'utf8')
    expect(source, file).toContain(removed)
    expect(source, file).not.toContain('host.old_hypervisor')
  }
})

test('the example filter has the newest feature level', async () => {
  const levels = (await readBlocks('add-a-filter.md')).filter(({ file }) => file.endsWith('/part-levels.ts'))
  expect(levels.map(({ text }) => text.match(/\[(\d+), \['HypervisorVersionFilter'\]\]/)?.[1])).toEqual([String(FEATURE_LEVEL)])
})

test('no file or folder becomes too large by following the page', async () => {
  expect(tooLargeAfter(await readBlocks('add-a-filter.md'))).toEqual([])
})
