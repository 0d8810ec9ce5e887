import { cp, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { isLongForm, longFormNote } from '../../../testing/extent.ts'
import { applyPage, checkout, copyWorkspace, readBlocks, removedLines, runTests, tooLargeAfter } from '../../testing/follow-page.ts'

// Follows docs/add-a-host-field.md in a copy of the packages: a `diff` block is an edit of a file, an `sh` block is run.

/** The test that looks for the field in every list of fields. */
const CHECK = 'apps/cli/src/added-field.test.ts'
const MAX_FILES = 5

test.skipIf(!isLongForm)(`the field of the page is in every list of fields${longFormNote}`, async () => {
  const folder = await copyWorkspace('gantt-field-')
  try {
    const touched = await applyPage(folder, 'add-a-host-field.md')
    expect(touched).toEqual([
      'apps/server/schema.graphql',
      'docs/command-line.md',
      'docs/query.md',
      'packages/scheduler-core/src/query/host-fields.ts',
    ])
    expect(touched.length).toBeLessThanOrEqual(MAX_FILES)

    await cp(path.join(checkout, 'docs/testing/added-field.txt'), path.join(folder, CHECK))
    const run = (project: string, ...files: readonly string[]) => runTests(folder, ['--project', project], files)
    await run('cli', CHECK)
    await run('server', 'apps/server/src/query-page.test.ts', 'apps/server/src/api-tests/host/host-order.long.test.ts')
    await run('core', 'packages/scheduler-core/src/query')
    await run('console', 'apps/console/src/features/hosts')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('each line that the page removes exists in the source, and no changed file has the example field yet', async () => {
  const blocks = await readBlocks('add-a-host-field.md')
  expect(blocks.map(({ form }) => form)).toEqual(['diff', 'diff', 'diff', 'sh'])
  for (const { file, removed } of blocks.filter(({ form }) => form === 'diff').map(removedLines)) {
    const source = await readFile(path.join(checkout, file), 'utf8')
    expect(source, file).toContain(removed)
    expect(source, file).not.toMatch(/HOST_IP|`ip`/)
  }
})

test('no file or folder becomes too large by following the page', async () => {
  expect(tooLargeAfter(await readBlocks('add-a-host-field.md'))).toEqual([])
})
