import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../apps/server/src/testing/test-database.ts'
import { ADMIN_KEY, type Service, startService } from '../../../packages/proofs/src/processes/service.ts'
import { type Block, checkout, readBlocks, writeBlock } from '../../testing/follow-page.ts'

// Follows docs/write-a-collector.md outside of the checkout, in order: blocks that name a file are written, `sh` and `graphql` blocks are
// run, and the output before a `text` block contains its lines. Only the service is started in another way than the page says.

let folder: string
let blocks: Block[]
let service: Service
let database: TestDatabase

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'gantt-collector-'))
  blocks = await readBlocks('write-a-collector.md')
  database = await createTestDatabase()
  service = await startService({
    GANTT_DATA_DIR: path.join(folder, 'state'),
    DATABASE_URL: database.url,
    GANTT_PLUGINS: `trusted:${path.join(checkout, 'examples/plugin-power')}`,
  })
})

afterAll(async () => {
  await service?.stop()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

/** Runs a block of the page in its folder. Fails if the block fails. */
async function runShell(text: string): Promise<string> {
  const child = spawn('sh', ['-ec', text], {
    cwd: folder,
    env: { ...process.env, GANTT: checkout, GANTT_URL: service.url, GANTT_KEY: ADMIN_KEY },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')))
  const status = await new Promise((resolve) => child.on('close', resolve))
  expect(status, output).toBe(0)
  return output
}

test('each block of the page does what the page says, and the collected number decides the placement', async () => {
  const START = 'GANTT_PLUGINS="trusted:$GANTT/examples/plugin-power" npm --prefix "$GANTT" start\n'
  expect(blocks.map(({ form }) => form).join(' ')).toBe('sh sh sh sh sh text sh text graphql sh text sh sh text sh text js sh')
  expect(blocks[0]?.text).toBe(START)
  let output = ''
  const outputs: string[] = []
  for (const block of blocks.slice(1)) {
    if (block.file !== '') await writeBlock(folder, block)
    else if (block.form === 'sh') {
      output = await runShell(block.text)
      outputs.push(output)
    } else if (block.form === 'graphql')
      expect(await service.client.request(block.text)).toEqual({ profileVersionCreate: { __typename: 'ProfilePayload' } })
    else for (const line of block.text.trim().split('\n')) expect(output.replaceAll(/\s+/g, ' ')).toContain(line.trim())
  }
  expect(await readFile(path.join(folder, 'watts.sh'), 'utf8')).toMatch(/^#!\/bin\/sh\n/)
  const [placed] = outputs.filter((text) => text.includes('rack1-b') && !text.includes('collector'))
  expect(placed).toMatch(/rack1-b/)
  expect(placed).not.toMatch(/selected.*rack1-a/)
  expect(outputs.at(-1)).toContain('"freeWatts": 30')
})
