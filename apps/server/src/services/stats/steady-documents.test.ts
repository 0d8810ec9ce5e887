import { FEATURE_LEVEL } from '@gantt/scheduler-core'
import { aDocument, aLog, aReport } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import type { Documents } from '../../plugin/outside/documents.ts'
import type { Replica } from '../../replica/replica.ts'
import { createStats } from './stats.ts'

const UNUSED_DOCUMENTS: Documents = { check: () => expect.unreachable('no plug-in is asked') } as never
const AT = 1_000

const steady = {
  storage: { pools: [] },
  collectors: { collectors: [{ name: 'disk', namespace: 'storage', state: 'SENDING', since: '2026-11-20T12:00:00.000Z' }] },
}

/**
 * How many changes an unchanged document of the namespace causes if it is repeated `seconds` after it was written. Nothing else is written
 * to the log meanwhile.
 */
async function writtenAfter(namespace: keyof typeof steady, seconds: number): Promise<number> {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h1')], { at: AT })
  const first = aDocument('h1', namespace, steady[namespace])
  log.append([first], { at: AT })
  const proposed: unknown[] = []
  const replica = {
    fleet: log.fleet,
    storeTime: AT + seconds * 1_000,
    fresh: async () => undefined,
    propose: async (changes: readonly unknown[]) => {
      proposed.push(...changes)
      return changes.map(() => ({ revision: log.fleet.place.revision }))
    },
  } as never as Replica
  const { host, node, incarnation, version, document } = first
  const report = { name: { host, node }, incarnation, sequence: 2, namespace: { namespace, version, document } }
  const { results } = await createStats(replica, UNUSED_DOCUMENTS).update([report])
  expect(results).toMatchObject([{ type: 'applied', unchanged: proposed.length === 0 }])
  return proposed.length
}

test.each([
  ['storage', 3_600],
  ['collectors', 1_200],
] as const)(
  'an unchanged document of %s is written again after a quarter of its maximum age, even while the log is quiet',
  async (namespace, maxAge) => {
    expect([await writtenAfter(namespace, maxAge / 4 - 1), await writtenAfter(namespace, maxAge / 4)]).toEqual([0, 1])
  },
)
