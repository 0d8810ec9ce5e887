import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { findNatsServer, INSTALL_NATS_SERVER } from '@gantt/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isLongForm, longFormNote } from '../../testing/extent.ts'
import { openTerminals, readCommandBlocks, type Shell, type Terminals, toPattern } from '../testing/terminals.ts'

// Follows docs/cluster.md to the letter, except for what it says about Docker (compose.test.ts). A block `sh fails` must exit with 1.

const natsServer = findNatsServer()
const noNats = natsServer === undefined

let terminals: Terminals
let shell: Shell

beforeAll(async () => {
  terminals = await openTerminals('gantt-cluster-')
  shell = terminals.openShell({
    GANTT_DATA_DIR: path.join(terminals.folder, 'state'),
    // a terminal gets only PATH of this environment, and a nats-server that was fetched for the tests is not in PATH
    ...(noNats ? {} : { NATS_SERVER_PATH: natsServer }),
  })
})

afterAll(async () => {
  // stops what a failed step left running
  await shell.run('npx gantt cluster down --purge')
  shell.end()
  await terminals.close()
})

test.skipIf(noNats || !isLongForm)(
  `the steps of the page on clusters work, and leave no process${noNats ? ` [skipped: ${INSTALL_NATS_SERVER}]` : longFormNote}`,
  async () => {
    const page = await readFile(new URL('../cluster.md', import.meta.url), 'utf8')
    const blocks = readCommandBlocks(page, ['sh', 'sh fails', 'sh compose'])
    expect(blocks.length).toBeGreaterThan(8)
    for (const { kind, line, commands, expected } of blocks) {
      if (kind === 'sh compose') continue
      const where = `docs/cluster.md:${line}`
      const { output, status } = await shell.run(commands)
      expect(status, `${where}: ${output}`).toBe(kind === 'sh fails' ? 1 : 0)
      if (expected !== undefined) expect(output, where).toMatch(toPattern(expected))
    }
    const { output } = await shell.run(`ps -A -o args= | grep -F "$GANTT_DATA_DIR" | grep -v grep; ls "$GANTT_DATA_DIR"`)
    expect(output).not.toMatch(/postgres|nats-server|cluster/)
  },
)
