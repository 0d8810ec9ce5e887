import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type Clock, systemClock } from '@gantt/client'
import { afterAll, expect, test } from 'vitest'
import { collectorProcesses } from '../../../../testing/collector-processes.ts'
import { type CollectorView, type Delivery, startCollector } from './collector.ts'
import type { Collected } from './output.ts'
import { allProcesses, readProcess } from './processes/proc.ts'
import type { CollectorSettings } from './settings.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'gantt-collector-'))
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  expect(collectorProcesses()).toEqual([])
})

const steady = `process.stdout.write('{"version":"1.0","document":{}}')`
const settingsOf = (script: string, change: Partial<CollectorSettings> = {}): CollectorSettings => ({
  ...{ name: 'power', namespace: 'power', work: { kind: 'command', command: [process.execPath, '-e', script] } },
  ...{ options: {}, env: {}, intervalSeconds: 1, timeoutSeconds: 60, memoryMib: 512, user: undefined, pidNamespace: true },
  ...{ whileUnread: 'pause', slowIntervalSeconds: 3_600, ...change },
})

function start(
  settings: CollectorSettings,
  deliver: (collected: Collected) => Promise<Delivery> = async () => 'accepted',
  clock: Clock = systemClock,
) {
  const stop = new AbortController()
  const seen: CollectorView[] = []
  const collector = startCollector({
    ...{ settings, deliver, name: { host: 'h1' }, signal: stop.signal, clock, now: Date.now },
    changed: (view) => void seen.push(view),
  })
  return {
    collector,
    states: () => seen.map(({ state }) => state),
    last: () => collector.view,
    end: async () => {
      stop.abort()
      await collector.ended
    },
  }
}

test.each([
  ['pause', false, ['PAUSED']],
  ['slow', false, ['SLOWED']],
  ['pause', true, ['SENDING']],
  ['slow', true, ['SENDING']],
] as const)('at the start, a collector with %s whose namespace is read (%s) has one change: %j', async (whileUnread, isRead, states) => {
  let isOver: () => void = () => undefined
  const twice = new Promise<void>((resolve) => {
    isOver = resolve
  })
  let runs = 0
  const {
    collector,
    states: seen,
    last,
    end,
  } = start(settingsOf(steady, { whileUnread, slowIntervalSeconds: 1 }), async () => {
    if (++runs === 2) isOver()
    return 'accepted'
  })
  try {
    collector.setRead(isRead)
    if (states[0] === 'PAUSED') await expect.poll(() => last().state).toBe('PAUSED')
    else await twice
    expect(seen()).toEqual(states)
  } finally {
    await end()
  }
})

test.each([
  ['its document is accepted', steady, 'accepted', []],
  ['its document is refused', steady, { error: { code: 'REFUSED', text: 'no' } }, ['REFUSED']],
  ['it fails', 'process.exit(1)', 'accepted', ['CRASHED']],
] as const)(
  'if nothing reads the namespace any more during a run, the collector is paused with one change, even if %s',
  async (_name, script, delivery, errors) => {
    const [begun, go] = [path.join(folder, `begun-${errors.join()}`), path.join(folder, `go-${errors.join()}`)]
    // the run ends when the second file is there
    const waits = `const fs = require('node:fs'); fs.writeFileSync(${JSON.stringify(begun)}, '')
      const wait = () => (fs.existsSync(${JSON.stringify(go)}) ? run() : setTimeout(wait, 10))
      const run = () => { ${script} }; wait()`
    const { collector, states, last, end } = start(settingsOf(waits), async () => delivery)
    try {
      collector.setRead(true)
      await expect.poll(() => existsSync(begun)).toBe(true)
      collector.setRead(false)
      writeFileSync(go, '')
      await expect.poll(() => last().state).toBe('PAUSED')
      expect(states()).toEqual(['PAUSED'])
      expect([last().error].flatMap((error) => error?.code ?? [])).toEqual(errors)
    } finally {
      await end()
    }
  },
)

test('a process that does not end is named, and no other one is started meanwhile', async (context) => {
  if (process.getuid?.() !== 0) return context.skip('only root can start a process that it may not end afterwards')
  const hangs = settingsOf('setInterval(() => {}, 1_000)', {
    user: { name: 'daemon', uid: 1, gid: 1 },
    timeoutSeconds: 2,
    pidNamespace: false,
  })
  // the pause between two runs is as short as possible
  const clock = { now: systemClock.now, wait: async () => void (await setImmediate()) }
  const { collector, last, states, end } = start(hangs, async () => 'accepted', clock)
  collector.setRead(true)
  const children = async (): Promise<readonly number[]> =>
    (await allProcesses()).processes.flatMap((one) => (one.parent === process.pid && one.name === 'node' ? [one.pid] : []))
  await expect.poll(children).toHaveLength(1)
  process.seteuid?.(65_534)
  let pid: number
  try {
    await expect.poll(() => last().error?.text).toMatch(/^it did not end within 2 s; its process \d+ does not end$/)
    pid = Number(/\d+(?= does)/.exec(last().error?.text ?? '')?.[0])
    const named = last()
    for (let turn = 0; turn < 100; turn++) await setImmediate()
    expect(await children()).toEqual([pid])
    expect([last(), states()]).toEqual([named, ['FAILING']])
    // the agent ends nevertheless
    await end()
  } finally {
    process.seteuid?.(0)
    await end()
  }
  await expect.poll(() => readProcess(pid)).toBeUndefined()
})

test('a document that could not be sent is sent again until it is accepted, without another run', async () => {
  const pauses: number[] = []
  // the pauses after failures are as short as possible, and the next run is not reached
  const clock: Clock = {
    now: systemClock.now,
    wait(ms, signal) {
      pauses.push(ms)
      return ms < 3_600_000 ? setImmediate() : systemClock.wait(ms, signal)
    },
  }
  const sent: Collected[] = []
  const { collector, last, states, end } = start(
    settingsOf(steady, { intervalSeconds: 3_600 }),
    async (collected) => {
      sent.push(collected)
      return sent.length < 6 ? 'unsent' : 'accepted'
    },
    clock,
  )
  try {
    collector.setRead(true)
    await expect.poll(() => last().state).toBe('SENDING')
    expect(new Set(sent).size).toBe(1)
    expect(sent).toHaveLength(6)
    expect(pauses.filter((ms) => ms < 3_600_000)).toEqual([20_000, 40_000, 80_000, 160_000, 240_000])
    expect(states()).toEqual(['SENDING'])
  } finally {
    await end()
  }
})

test('a document that could not be sent is given up when the next run is due', async () => {
  const clock: Clock = { now: systemClock.now, wait: () => setImmediate() }
  const sent = new Map<Collected, number>()
  const { collector, end } = start(
    settingsOf(steady, { intervalSeconds: 1 }),
    async (collected) => {
      sent.set(collected, (sent.get(collected) ?? 0) + 1)
      return 'unsent'
    },
    clock,
  )
  try {
    collector.setRead(true)
    await expect.poll(() => sent.size).toBeGreaterThan(1)
    expect(new Set(sent.values())).toEqual(new Set([1]))
  } finally {
    await end()
  }
})
