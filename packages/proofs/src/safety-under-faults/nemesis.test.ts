import { Fleet, STRICT_CLAIMS } from '@gantt/scheduler-core'
import { forgetMovedUnits, pickedUnits } from '@gantt/scheduler-core/testing'
import { findNatsServer, INSTALL_NATS_SERVER } from '@gantt/server'
import { describe, expect, test, vi } from 'vitest'
import { isLongForm, longFormNote } from '../../../../testing/extent.ts'
import { createChecks } from '../checks.ts'
import { EngineMissingError } from './engine.ts'
import { startNats } from './engines/nats.ts'
import { type NemesisOptions, runNemesis } from './run.ts'
import { startHere } from './testing/start-here.ts'

/** Runs the nemesis and asserts that there are no violations. */
async function findNothing(options: Pick<NemesisOptions, 'engine' | 'faults'>): Promise<void> {
  const said: string[] = []
  const say = (line: string): void => void said.push(line)
  const figures = await runNemesis(createChecks(say), { seconds: 30, replicas: 2, clients: 8, seed: 'short', ...options }, say)
  expect(said.filter((line) => line.includes('FAILED'))).toEqual([])
  expect(Object.keys(figures.faults).length).toBeGreaterThan(0)
  expect(figures.claims).toBeGreaterThan(0)
}

test.skipIf(!isLongForm)(`the nemesis finds nothing: two replicas, kill -9 of one, and a fail-over to the standby${longFormNote}`, () =>
  findNothing({ engine: 'postgres', faults: ['fail-over to the standby', 'kill -9 of a replica'] }),
)

const noNats = findNatsServer() === undefined

test.skipIf(noNats || !isLongForm)(
  `the nemesis finds nothing on three nats-servers, with kill -9 of the stream's leader and of a replica${noNats ? ` [skipped: ${INSTALL_NATS_SERVER}]` : longFormNote}`,
  () => findNothing({ engine: 'nats', faults: ["kill -9 of the stream's leader", 'kill -9 of a replica'] }),
)

const SEEDS = Array.from({ length: 24 }, (_, i) => String(i + 1))
/** The time limit in milliseconds for all repeated runs on a busy machine. Usually the first run finds the violation. */
const LONG_MS = 900_000

/** The violations that are found on two replicas in this process. The only fault is an append that does not arrive. */
async function brokenOn(options: Partial<Pick<NemesisOptions, 'release'>>, seed: string): Promise<string> {
  const said: string[] = []
  const say = (line: string): void => void said.push(line)
  const run = { seconds: 5, replicas: 2, clients: 8, seed, faults: ['append that does not arrive'], startRelease: startHere }
  await runNemesis(createChecks(say), { engine: 'postgres', ...run, ...options }, say)
  return said.filter((line) => line.includes('FAILED')).join('\n')
}

/** Repeats runs until all of these violations are found, because it is random which calls are concurrent. */
async function findsAll(wanted: readonly RegExp[], options: Partial<Pick<NemesisOptions, 'release'>> = {}): Promise<void> {
  let broken = ''
  for (const seed of SEEDS) if (wanted.some((one) => !one.test(broken))) broken += await brokenOn(options, seed)
  for (const one of wanted) expect(broken).toMatch(one)
}

// check.test.ts tests which rule finds which violation. These tests need concurrent calls, which happen by chance.
describe('if no replica is killed, the nemesis finds', () => {
  test.skipIf(!isLongForm)(`nothing${longFormNote}`, async () => {
    expect(await brokenOn({}, SEEDS[0] as string)).toBe('')
  })

  test.skipIf(!isLongForm)(`that resources are allocated twice below feature level 8${longFormNote}`, { timeout: LONG_MS }, async () => {
    const release = { settings: { GANTT_FEATURE_LEVEL: String(STRICT_CLAIMS - 1) } }
    const amounts = /no host ever holds more than it has|no host holds more than it has|each host counts exactly its claims/
    await findsAll([amounts, /an instance that has a claim gets no other/], { release })
  })

  test.skipIf(!isLongForm)(`a claim that holds nothing if the unit it names is used${longFormNote}`, { timeout: LONG_MS }, async () => {
    const { apply } = Fleet.prototype
    vi.spyOn(Fleet.prototype, 'apply').mockImplementation(function (this: Fleet, entry) {
      const verdicts = apply.call(this, entry)
      forgetMovedUnits(this)
      return verdicts
    })
    try {
      // Callers request every kind of picked unit, so a violation must be found for each kind.
      await findsAll(pickedUnits.map((unit) => new RegExp(unit)))
    } finally {
      vi.restoreAllMocks()
    }
  })

  test.skipIf(!isLongForm)(`reports that overwrite what operators set${longFormNote}`, { timeout: LONG_MS }, async () => {
    const { apply } = Fleet.prototype
    vi.spyOn(Fleet.prototype, 'apply').mockImplementation(function (this: Fleet, entry) {
      for (const change of entry.changes) {
        const known = change.type === 'report' ? this.hosts.find(change) : undefined
        if (known !== undefined) this.hosts.own(known.index).allocation = {}
      }
      return apply.call(this, entry)
    })
    try {
      // one violation suffices, because it is rare that a call takes exactly the amount that a report set free
      await findsAll([/(?:each host offers|gets no claims beyond) the amounts that operators set/])
    } finally {
      vi.restoreAllMocks()
    }
  })
})

test('without a nats-server the nemesis reports what to install, and starts nothing', async () => {
  vi.stubEnv('NATS_SERVER_PATH', '/nowhere/nats-server')
  try {
    const started = startNats({ folder: '/nowhere', replicas: 1, say: () => undefined })
    await expect(started).rejects.toThrow(EngineMissingError)
    await expect(started).rejects.toThrow('apt-get install nats-server')
  } finally {
    vi.unstubAllEnvs()
  }
})
