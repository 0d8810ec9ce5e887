import { rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { isLongForm, longFormNote } from '../../../testing/extent.ts'
import { checkCore, copyCore, readBlocks, tooLargeAfter, writeBlock } from '../../testing/follow-page.ts'

// Follows docs/write-a-scheduler.md in a copy of the package: a `ts` block is a file, a `diff` block an edit of one.

// it takes as long as a test suite and a complete type check
test.skipIf(!isLongForm)(
  `the scheduler of the page passes the suite for schedulers, and its types are correct${longFormNote}`,
  async () => {
    const folder = await copyCore('gantt-scheduler-')
    try {
      const blocks = await readBlocks('write-a-scheduler.md')
      expect(blocks.map(({ form }) => form)).toEqual(['ts', 'diff', 'diff', 'diff', 'ts'])
      expect((blocks[0]?.text.split('\n').length ?? 0) - 1).toBeLessThanOrEqual(65)
      for (const block of blocks) await writeBlock(folder, block)
      const files = blocks.filter(({ form }) => form === 'ts').map(({ file }) => file)
      await checkCore(folder, files, 'src/schedulers/two-choices-scheduler.test.ts')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
)

test('no file or folder becomes too large by following the page', async () => {
  expect(tooLargeAfter(await readBlocks('write-a-scheduler.md'))).toEqual([])
})
