import { expect, test } from 'vitest'
import { FEATURE_LEVEL } from '../records/change.ts'
import { aLog, aReport } from '../testing/index.ts'
import { repairOf } from './repair.ts'
import { A, findingsOf } from './testing/scene.ts'

test('repair options name host and node if the host has several nodes', () => {
  const log = aLog()
  const listing = { instances: [A], vcpusUsed: 2 }
  log.append([
    { type: 'feature', level: FEATURE_LEVEL },
    aReport('drv', listing),
    { ...aReport('drv', listing), node: 'n2' },
    aReport('h', listing),
  ])
  const [finding] = findingsOf(log.fleet).filter(({ code }) => code === 'instance.two_hosts')
  if (finding === undefined) throw new Error('expected instance.two_hosts for an instance that three nodes list')
  expect([...repairOf(log.fleet, finding).options].map(({ text }) => text.split(' ')[0])).toEqual(['drv/drv', 'drv/n2', 'h'])

  const unclaimed = { ...finding, code: 'instance.unclaimed', host: 'drv', name: 'drv' } as const
  expect(repairOf(log.fleet, unclaimed).text).toContain('only the report of drv/drv counts them')
})
