import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findNatsServer, freePorts, INSTALL_NATS_SERVER } from '@gantt/server'
import { expect, test } from 'vitest'
import { withFolder } from '../../../../../packages/proofs/src/processes/folder.ts'
import { startService } from '../../../../../packages/proofs/src/processes/service.ts'
import { isLongForm, longFormNote } from '../../../../../testing/extent.ts'
import { gantt, widthOf } from '../../testing/gantt.ts'
import { STEPS } from './migrate-sync.ts'

const BIN = fileURLToPath(new URL('../../../bin/gantt.mjs', import.meta.url))
const program = findNatsServer()
/** The result of a call that has nothing left to copy. */
const ALREADY = 'an earlier call'

test('all invalid options are reported together, before any store is opened', async () => {
  const output = await gantt({ GANTT_SYNC: '' }, 'migrate-sync', '--from', 'nats', '--to', 'mysql')
  expect(output).toMatchObject({ out: '', code: 2 })
  expect(output.err).toContain('--to must be postgres, nats, or an address such as nats://a,b,c.')
  expect(output.err).toContain('GANTT_SYNC must be the address of NATS')
  const same = await gantt({}, 'migrate-sync', '--from', 'postgres', '--to', 'postgres')
  expect(same).toMatchObject({ code: 2, err: expect.stringContaining('--from and --to are both postgres') })
})

test.skipIf(program === undefined || !isLongForm)(
  `if the command is killed at any step (kill -9), the next call completes the change${program === undefined ? ` [skipped: ${INSTALL_NATS_SERVER}]` : longFormNote}`,
  () =>
    withFolder(async (folder) => {
      const nats = await startNats(`${folder}-nats`)
      const environment = { GANTT_DATA_DIR: folder, GANTT_SYNC: nats.url }
      try {
        const service = await startService({ GANTT_DATA_DIR: folder })
        const running = await migrate(environment, ['--from', 'postgres', '--to', 'nats'])
        expect(running).toMatchObject({ code: 1, err: expect.stringContaining('engine.in_use') })
        await service.stop()
        for (const step of ['close', 'copy', 'verify'] as const) await migrate(environment, ['--from', 'postgres', '--to', 'nats'], step)
        expectDone(await migrate(environment, ['--from', 'postgres', '--to', 'nats']))
        for (const step of ['close', 'drain', 'copy'] as const) await migrate(environment, ['--from', 'nats', '--to', 'postgres'], step)
        expectDone(await migrate(environment, ['--from', 'nats', '--to', 'postgres']))
        const again = await migrate(environment, ['--from', 'nats', '--to', 'postgres', '--json'])
        expect(JSON.parse(again.out)).toMatchObject({ outcome: 'already' })
      } finally {
        await nats.stop()
        await gantt({}, 'db', 'stop', '--data-dir', folder)
      }
    }),
)

interface Ended {
  readonly out: string
  readonly err: string
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/**
 * Checks the output of a complete change. If an earlier call finished before it was killed, nothing is left to copy, and the output has no
 * states.
 */
function expectDone({ out, code, err }: Ended): void {
  expect({ code, err }).toMatchObject({ code: 0 })
  expect(widthOf(out)).toBeLessThanOrEqual(80)
  const state = (which: string): string | undefined => new RegExp(`^state, ${which} +(\\w+)$`, 'm').exec(out)?.[1]
  expect(state('new')).toBe(state('old'))
}

/**
 * Runs the command as a process. Kills it (SIGKILL) as soon as it prints the line of the step `killAt`, and fails if it never prints the
 * line, unless an earlier call finished before it was killed.
 */
async function migrate(
  environment: Readonly<Record<string, string>>,
  options: readonly string[],
  killAt?: keyof typeof STEPS,
): Promise<Ended> {
  const child = spawn(process.execPath, [BIN, 'migrate-sync', ...options], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  const output = { out: '', err: '' }
  child.stdout.on('data', (text) => {
    output.out += text
  })
  createInterface({ input: child.stderr }).on('line', (line) => {
    output.err += `${line}\n`
    if (killAt !== undefined && line === STEPS[killAt]) child.kill('SIGKILL')
  })
  const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null]
  if (killAt !== undefined && !output.out.includes(ALREADY)) expect(output.err.split('\n')).toContain(STEPS[killAt])
  return { ...output, code, signal }
}

async function startNats(folder: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  fs.mkdirSync(folder, { recursive: true })
  const [port = 0] = await freePorts(1)
  const config = path.join(folder, 'nats.conf')
  fs.writeFileSync(config, `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${folder}", max_file: 1GB }\n`)
  const child = spawn(program ?? 'nats-server', ['--config', config], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  await listens(port, child)
  return {
    url: `nats://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

async function listens(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = net.connect(port, '127.0.0.1')
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isThere) return
    await sleep(50)
  }
  throw new Error(`nats-server ended with ${child.exitCode}`)
}
