import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { isLongForm, longFormNote } from '../../../testing/extent.ts'
import { applyPage, checkout, copyWorkspace, readBlocks, removedLines, runTests, tooLargeAfter } from '../../testing/follow-page.ts'

// Follows docs/add-a-query.md in a copy of the packages: a `ts` block is a file, a `diff` block an edit of one, an `sh` block is run.

test.skipIf(!isLongForm)(`the query of the page can be sent${longFormNote}`, async () => {
  const folder = await copyWorkspace('gantt-query-')
  try {
    expect(await applyPage(folder, 'add-a-query.md')).toEqual([
      'apps/server/schema.graphql',
      'apps/server/src/api-tests/fleet/empty-hosts.test.ts',
      'apps/server/src/api-tests/key/authorisation.table.ts',
      'apps/server/src/schema/fleet/empty-hosts.ts',
      'apps/server/src/schema/index.ts',
      'apps/server/src/services/fleet/empty-hosts.ts',
      'apps/server/src/services/services.ts',
      'docs/api.md',
    ])
    await runTests(
      folder,
      ['--project', 'server'],
      ['api-tests/fleet/empty-hosts.test.ts', 'api-tests/key/authorisation.test.ts', 'schema'].map((name) => `apps/server/src/${name}`),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('each line that the page removes exists in the source, and no changed file has the example query yet', async () => {
  const blocks = await readBlocks('add-a-query.md')
  for (const { file, removed } of blocks.filter(({ form }) => form === 'diff').map(removedLines)) {
    const source = await readFile(path.join(checkout, file), 'utf8')
    expect(source, file).toContain(removed)
    expect(source, file).not.toContain('emptyHost')
  }
})

test('no file or folder becomes too large by following the page', async () => {
  expect(tooLargeAfter(await readBlocks('add-a-query.md'))).toEqual([])
})
