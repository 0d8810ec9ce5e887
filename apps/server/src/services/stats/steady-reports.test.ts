import { type Change, FEATURE_LEVEL } from '@gantt/scheduler-core'
import { aClaim, aLog, aMove, aReport, aUuid, type TestLog } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import type { Documents } from '../../plugin/outside/documents.ts'
import type { Replica } from '../../replica/replica.ts'
import { createStats } from './stats.ts'

// The rule: a report that changes neither the host nor its claims is not written to the log.

const UNUSED_DOCUMENTS: Documents = { check: () => expect.unreachable('no plug-in is asked') } as never
const instance = aUuid(1)
const grants = { classes: { VCPU: 2, MEMORY_MB: 2_048 } }
const larger = { classes: { VCPU: 4, MEMORY_MB: 4_096 } }
const figures = { vcpus: 16, vcpusUsed: 2, memoryMb: 65_536, memoryMbUsed: 2_048, localGb: 500, localGbUsed: 0 }

/** What reports can change: the claims and the free amounts of all hosts. */
const stateOf = ({ fleet: { ledger, hosts } }: TestLog) => ({
  claims: [...ledger.claims.values()].map(({ id, state, extra }) => ({ id, state, extra })),
  free: ['VCPU', 'MEMORY_MB'].map((name) => [...hosts.classColumns(name).free]),
})

/** Repeats the last report of h1, as a full report and as an empty delta. */
async function repeated(instances: readonly string[] | null, ...changes: readonly ((log: TestLog) => Change)[]) {
  const log = aLog()
  const report = (sequence: number) => aReport('h1', { ...figures, instances: instances && [...instances] }, sequence)
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, report(1)], { at: 1 })
  for (const change of changes) expect(log.append([change(log)], { at: log.fleet.now + 1 })).toEqual([undefined])
  const proposed: Change[] = []
  const replica = {
    ...{ fleet: log.fleet, storeTime: log.fleet.now, fresh: async () => undefined },
    propose: async (all: readonly Change[]) => {
      proposed.push(...all)
      return all.map(() => ({ revision: log.fleet.place.revision }))
    },
  } as never as Replica
  const last = log.fleet.hosts.records[0]?.reporters.get('compute')?.sequence ?? expect.unreachable()
  const { host, node, incarnation, full } = report(last + 1)
  const stats = createStats(replica, UNUSED_DOCUMENTS)
  const before = stateOf(log)
  const written: number[] = []
  for (const content of [{ delta: { baseSequence: last } }, { full }]) {
    const { results } = await stats.update([{ name: { host, node }, incarnation, sequence: last + 1, ...content }])
    expect(results).toMatchObject([{ type: 'applied' }])
    written.push(proposed.splice(0).length)
  }
  log.append([report(last + 1)], { at: log.fleet.now + 1 })
  return { written, isChanged: JSON.stringify(stateOf(log)) !== JSON.stringify(before) }
}

const claimed = () => aClaim({ key: 'a', ids: ['a'], hosts: ['h1'], instances: [instance], grants, mode: 'CONFIRM' })
const reserved = () => aClaim({ key: 'a', ids: ['a'], hosts: ['h1'], instances: [instance], grants })
const counting = () => aReport('h1', { ...figures, instances: [instance] }, 2)
const resized = ({ fleet }: TestLog) => {
  const { id: claim, fence } = fleet.ledger.claims.get('a') ?? expect.unreachable()
  return aMove({ source: { claim, fence }, intent: 'RESIZE', key: 'b', ids: ['b'], hosts: ['h1'], instances: [instance], grants: larger })
}
const NOTHING = { written: [0, 0], isChanged: false }

test.each<[string, readonly string[] | null, readonly ((log: TestLog) => Change)[]]>([
  ['has no claims', null, []],
  ['does not list its instances, and has a confirmed claim', null, [claimed]],
  ['does not list its instances, and has a reservation', null, [reserved]],
  ['lists an instance that has a reservation since', [instance], [reserved]],
  ['lists an instance that is being resized on its host', [instance], [claimed, counting, resized]],
  ['does not list the instance of a confirmed claim', [], [claimed]],
])('the unchanged report of a host is not written if the host %s', async (_name, instances, changes) => {
  expect(await repeated(instances, ...changes)).toEqual(NOTHING)
})

test('the unchanged report of a host that lists the instance of a claim which no report has counted is written', async () => {
  expect(await repeated([instance], claimed)).toEqual({ written: [1, 1], isChanged: true })
  expect(await repeated([instance], claimed, counting)).toEqual(NOTHING)
})
