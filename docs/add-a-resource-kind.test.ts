import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkCore, copyCore, readBlocks, writeBlock } from './testing/follow-page.ts'

// Does what docs/add-a-resource-kind.md says, in a copy of the package: a `ts` block is a file, a `diff` block an edit of one.

let folder: string

beforeAll(async () => {
  folder = await copyCore('gantt-kind-')
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test('the kind of the page keeps the law, and its types fit', async () => {
  const blocks = await readBlocks('add-a-resource-kind.md')
  expect(blocks.map(({ form }) => form)).toEqual(['ts', 'diff', 'diff', 'ts'])
  for (const block of blocks) await writeBlock(folder, block)
  await checkCore(
    folder,
    blocks.map(({ file }) => file),
    'src/kinds/ports',
  )
})
