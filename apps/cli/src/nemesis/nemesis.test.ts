import { Fleet, STRICT_CLAIMS } from '@gantt/scheduler-core'
import { forgetMovedGpus } from '@gantt/scheduler-core/testing'
import { findNatsServer, INSTALL_NATS_SERVER } from '@gantt/server'
import { describe, expect, test, vi } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { createChecks } from '../prove/checks.ts'
import { EngineMissingError } from './engine.ts'
import { startNats } from './engines/nats.ts'
import { type NemesisOptions, runNemesis } from './run.ts'
import { startHere } from './testing/start-here.ts'

/** A run that finds nothing. */
async function findNothing(options: Pick<NemesisOptions, 'engine' | 'faults'>): Promise<void> {
  const said: string[] = []
  const say = (line: string): void => void said.push(line)
  const figures = await runNemesis(createChecks(say), { seconds: byExtent(5, 30), replicas: 2, clients: 8, seed: 'short', ...options }, say)
  expect(said.filter((line) => line.includes('FAILED'))).toEqual([])
  expect(Object.keys(figures.faults).length).toBeGreaterThan(0)
  expect(figures.claims).toBeGreaterThan(0)
}

test('the nemesis finds nothing: two replicas, kill -9 of one, and a fail-over to the standby', () =>
  findNothing({ engine: 'postgres', faults: ['fail-over to the standby', 'kill -9 of a replica'] }))

const noNats = findNatsServer() === undefined

test.skipIf(noNats)(
  `nor on three nats-servers, with kill -9 of the stream's leader and of a replica${noNats ? ` [skipped: ${INSTALL_NATS_SERVER}]` : ''}`,
  () => findNothing({ engine: 'nats', faults: ["kill -9 of the stream's leader", 'kill -9 of a replica'] }),
)

/** What callers and hosts of a run find broken on two replicas of this process: nothing is killed. */
async function brokenOn({ seed = 'planted', ...options }: Partial<Pick<NemesisOptions, 'release' | 'seed'>> = {}): Promise<string> {
  const said: string[] = []
  const say = (line: string): void => void said.push(line)
  const run = { seconds: 10, replicas: 2, clients: 8, seed, faults: ['append that does not arrive'], startRelease: startHere }
  await runNemesis(createChecks(say), { engine: 'postgres', ...run, ...options }, say)
  return said.filter((line) => line.includes('FAILED')).join('\n')
}

describe('on replicas that nothing is done to, the nemesis finds', () => {
  test('nothing', async () => {
    expect(await brokenOn()).toBe('')
  })

  test('that before feature level 8 things are promised twice', async () => {
    const broken = await brokenOn({ release: { settings: { GANTT_FEATURE_LEVEL: String(STRICT_CLAIMS - 1) } } })
    expect(broken).toContain('at the end each host counts exactly its claims')
    expect(broken).toContain('an instance that has a claim gets no other')
  })

  test('a claim that forgets its amount when pins move, in one of three runs', async () => {
    const { apply } = Fleet.prototype
    vi.spyOn(Fleet.prototype, 'apply').mockImplementation(function (this: Fleet, entry) {
      const verdicts = apply.call(this, entry)
      forgetMovedGpus(this)
      return verdicts
    })
    try {
      let broken = ''
      for (const seed of ['1', '2', '3']) if (broken === '') broken = await brokenOn({ seed })
      expect(broken).toContain('GPU')
    } finally {
      vi.restoreAllMocks()
    }
  })
})

test('without a nats-server it says what to install, and starts nothing', async () => {
  vi.stubEnv('NATS_SERVER_PATH', '/nowhere/nats-server')
  try {
    const started = startNats({ folder: '/nowhere', replicas: 1, say: () => undefined })
    await expect(started).rejects.toThrow(EngineMissingError)
    await expect(started).rejects.toThrow('apt-get install nats-server')
  } finally {
    vi.unstubAllEnvs()
  }
})
