import { rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { isLongForm, longFormNote } from '../../../testing/extent.ts'
import { checkCore, copyCore, readBlocks, tooLargeAfter, writeBlock } from '../../testing/follow-page.ts'

// Follows docs/add-a-resource-kind.md in a copy of the package: a `ts` block is a file, a `diff` block an edit of one.

// it takes as long as a test suite and a complete type check
test.skipIf(!isLongForm)(`the resource kind of the page passes the suite for kinds, and its types are correct${longFormNote}`, async () => {
  const folder = await copyCore('gantt-kind-')
  try {
    const blocks = await readBlocks('add-a-resource-kind.md')
    expect(blocks.map(({ form }) => form)).toEqual(['ts', 'diff', 'diff', 'diff', 'diff', 'diff', 'ts'])
    for (const block of blocks) await writeBlock(folder, block)
    await checkCore(
      folder,
      blocks.map(({ file }) => file),
      'src/kinds/ports',
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('no file or folder becomes too large by following the page', async () => {
  expect(tooLargeAfter(await readBlocks('add-a-resource-kind.md'))).toEqual([])
})
