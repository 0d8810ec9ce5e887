import { cp, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { isLongForm, longFormNote } from '../../testing/extent.ts'
import { checkCore, checkout, copyCore, readBlocks, tooLargeAfter, writeBlock } from '../testing/follow-page.ts'

// Follows docs/add-a-filter.md in a copy of the package: a `ts` block is a file, a `diff` block an edit of one.

// runs a type check, and the tests that list every filter and every code
test.skipIf(!isLongForm)(`the filter of the page is in every list of filters and of codes${longFormNote}`, async () => {
  const folder = await copyCore('gantt-filter-')
  try {
    await cp(path.join(checkout, 'docs/errors.md'), path.join(folder, 'docs/errors.md'))
    const blocks = await readBlocks('add-a-filter.md')
    expect(blocks.map(({ form }) => form).join(' ')).toBe('ts diff diff diff diff diff diff diff diff diff diff diff diff diff')
    for (const block of blocks) await writeBlock(folder, block)
    const files = [...new Set(blocks.map(({ file }) => file).filter((file) => file.endsWith('.ts')))]
    await checkCore(
      folder,
      files,
      ...'filters codes pipeline cause/words tenant-codes what-if/remedies decision/reason-text profiles'
        .split(' ')
        .map((name) => `src/${name}`),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('each line that the page removes exists in the source, and no part of the source has the reason code of the example filter yet', async () => {
  for (const { form, file, text } of await readBlocks('add-a-filter.md')) {
    if (form !== 'diff') continue
    const removed = text
      .split('\n')
      .filter((line) => line.startsWith('-'))
      .map((line) => `${line.slice(1)}\n`)
      .join('')
    const source = await readFile(path.join(checkout, file), 'utf8')
    expect(source, file).toContain(removed)
    expect(source, file).not.toContain('host.old_hypervisor')
  }
})

test('no file or folder becomes too large by following the page', async () => {
  expect(tooLargeAfter(await readBlocks('add-a-filter.md'))).toEqual([])
})
