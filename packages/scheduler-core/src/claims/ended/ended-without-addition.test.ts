import { expect, test } from 'vitest'
import { Fleet } from '../../fleet/fleet.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import { aClaim, aLog, aMove, aReport, aUuid } from '../../testing/index.ts'

const VM = aUuid(1)
const VCPUS = 8

/**
 * The free CPUs after two steps: a confirmed claim on a host without an instance list is released, and the host then lists the instance.
 */
function freeAfterwards(resizedTo: number | null): number | undefined {
  const log = aLog(new Fleet())
  const fenceOf = (id: string): number => log.fleet.ledger.claims.get(id)?.fence ?? 0
  const size = (vcpus: number) => ({ hosts: ['h1'], instances: [VM], grants: { classes: { VCPU: vcpus } }, mode: 'CONFIRM' }) as const
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h1', { vcpus: VCPUS, instances: null })])
  log.append([aClaim({ key: 'c', ...size(3) })])
  if (resizedTo !== null) {
    log.append([aMove({ key: 'm', intent: 'RESIZE', source: { claim: 'c.0', fence: fenceOf('c.0') }, ...size(resizedTo) })])
    log.append([{ type: 'confirm', claim: 'm.0', fence: fenceOf('m.0') }])
  }
  const id = resizedTo === null ? 'c.0' : 'm.0'
  expect(log.append([{ type: 'release', claim: id, fence: fenceOf(id), reason: null }])).toEqual([undefined])
  expect(log.append([aReport('h1', { vcpus: VCPUS, vcpusUsed: 0, instances: [VM] }, 2)])).toEqual([undefined])
  return log.fleet.hosts.classColumns('VCPU').free[log.fleet.hosts.find({ host: 'h1', node: 'h1' })?.index ?? 0]
}

test.each<readonly [string, number | null]>([
  ['was never resized', null],
  ['was resized in place to the same size', 3],
  ['was resized in place to a smaller size', 2],
])('an ended claim that %s holds nothing if its host listed no instances before the end of the claim', (_name, resizedTo) => {
  expect(freeAfterwards(resizedTo)).toBe(VCPUS)
})
