import { findNatsServer, INSTALL_NATS_SERVER } from '@gantt/server'
import { expect, test, vi } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { createChecks } from '../prove/checks.ts'
import { EngineMissingError } from './engine.ts'
import { startNats } from './engines/nats.ts'
import { type NemesisOptions, runNemesis } from './run.ts'

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
