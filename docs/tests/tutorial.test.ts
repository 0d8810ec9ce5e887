import { type ChildProcess, execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isLongForm, longFormNote } from '../../testing/extent.ts'
import { checkout } from '../testing/follow-page.ts'
import { gather, interrupt, openTerminals, readCommandBlocks, type Terminals, toPattern } from '../testing/terminals.ts'

// Follows docs/tutorial.md to the letter. `sh service` is the first terminal; before `sh stopped` it gets Ctrl-C.
// Apart from TMPDIR and HOME, only the port differs from the page: a free one instead of 4400.

const DEFAULT_PORT = '4400'

let terminals: Terminals

beforeAll(async () => {
  terminals = await openTerminals('gantt-tutorial-')
})

afterAll(() => terminals.close())

test.skipIf(!isLongForm)(`the steps of the tutorial give the results that it shows${longFormNote}`, async () => {
  const blocks = readCommandBlocks(await readFile(new URL('../tutorial.md', import.meta.url), 'utf8'), ['sh', 'sh service', 'sh stopped'])
  expect(blocks.length).toBeGreaterThan(10)
  const second = terminals.openShell()
  let service: ChildProcess | undefined
  let port = DEFAULT_PORT
  for (const { kind, line, commands, expected } of blocks) {
    const where = `docs/tutorial.md:${line}`
    if (kind === 'sh service') {
      service = terminals.startBash({ PORT: '0' })
      const seen = gather(service)
      service.stdin?.end(commands)
      port = (await seen.until(/Gantt is ready at http:\/\/127\.0\.0\.1:(\d+)\/graphql/))[1] ?? ''
      expect(seen.text().replaceAll(`:${port}/`, `:${DEFAULT_PORT}/`), where).toMatch(toPattern(expected ?? ''))
      continue
    }
    if (kind === 'sh stopped' && service !== undefined) await interrupt(service)
    const { output, status } = await second.run(commands.replaceAll(`:${DEFAULT_PORT}/`, `:${port}/`))
    expect(status, `${where}: ${output}`).toBe(0)
    if (expected !== undefined) expect(output.replaceAll(`:${port}/`, `:${DEFAULT_PORT}/`), where).toMatch(toPattern(expected))
  }
  expect(await readdir(terminals.folder)).not.toContain('gantt-tutorial')
  second.end()
})

test('npx finds the command as the pages call it', async () => {
  const { stdout } = await promisify(execFile)('npx', ['gantt', '--version'], { cwd: checkout })
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})
