import { aLog, aReport } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import type { Documents } from '../plugin/outside/documents.ts'
import { CallerGoneError, duringCall } from '../replica/question.ts'
import type { Replica } from '../replica/replica.ts'
import type { ReportInput } from './report-input.ts'
import { createStats } from './stats.ts'

const NOBODY: Documents = { check: () => expect.unreachable('no plug-in is asked') } as never

/** Reports of hosts that are there, whose documents tell when they are read; and what was proposed to the log. */
function aService(hosts: number) {
  const log = aLog()
  const known = Array.from({ length: hosts }, (_, i) => aReport(`h${i}`))
  log.append(known)
  const proposed: unknown[] = []
  const replica = {
    fleet: log.fleet,
    fresh: async () => undefined,
    propose: async (changes: readonly unknown[]) => {
      proposed.push(...changes)
      return changes.map(() => ({ revision: log.fleet.place.revision }))
    },
  } as never as Replica
  let read = 0
  let onRead = (_count: number): void => undefined
  const reports = known.map(({ host, node, incarnation, sequence, full }): ReportInput => {
    const input = { name: { host, node }, incarnation, sequence: sequence + 2 }
    return Object.defineProperty(input, 'full', {
      enumerable: true,
      get() {
        onRead(++read)
        return full
      },
    })
  })
  return {
    ...{ log, proposed, reports, stats: createStats(replica, NOBODY) },
    read: () => read,
    whenRead: (listener: typeof onRead) => {
      onRead = listener
    },
  }
}

test('reports whose caller goes away are read no further, and nothing of them is written', async () => {
  const { stats, reports, proposed, read, whenRead } = aService(20)
  const gone = new AbortController()
  whenRead((count) => {
    if (count === 5) gone.abort()
  })
  await expect(duringCall(gone.signal, () => stats.update(reports))).rejects.toThrow(CallerGoneError)
  expect(read()).toBe(5)
  expect(proposed).toEqual([])
})

test('what says nothing new is not written, unless the host changed while the others were read', async () => {
  const { stats, reports, proposed, log } = aService(10)
  expect((await stats.update(reports)).results.map((one) => 'unchanged' in one && one.unchanged)).toEqual(reports.map(() => true))
  expect(proposed).toEqual([])
  // another replica's report of the first host comes in while the last one is looked at
  const [first] = reports
  let isLate = false
  const { hosts } = log.fleet
  const find = hosts.find.bind(hosts)
  hosts.find = (name) => {
    if (name.host === 'h9' && !isLate) {
      isLate = true
      log.append([aReport('h0', { vcpus: 99 }, 2)])
    }
    return find(name)
  }
  await stats.update(reports)
  expect(proposed).toEqual([expect.objectContaining({ host: first?.name.host })])
})
