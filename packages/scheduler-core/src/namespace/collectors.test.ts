import { describe, expect, test } from 'vitest'
import type { Change } from '../records/change.ts'
import { levelOf } from '../records/change-levels.ts'
import { aDocument, aLog, aReport, aUuid } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'
import { COLLECTOR_STATES } from '../values/levels.ts'
import { atOnce } from '../values/steps.ts'
import { countCollectors, MAX_NAMES, OTHER } from './facts/collector-counts.ts'
import { collectorsOf } from './facts/collectors.ts'
import { storage } from './facts/storage.ts'
import { freshDocumentsOf } from './fresh-documents.ts'

const SINCE = '2026-11-20T12:00:00.000Z'
const one = (name: string, state: string, more: object = {}) => ({ name, namespace: name, state, since: SINCE, ...more })
const states = (host: string, ...collectors: readonly object[]) => aDocument(host, 'collectors', { collectors })
const pools = (host: string) => aDocument(host, 'storage', { pools: [{ uuid: aUuid(1), name: 'p' }] })
const error = { code: 'TIME_LIMIT', text: 'it did not end within 10 s', at: SINCE }

/** The code for which the document of `storage` is missing on h1, `ageMs` after these changes. */
function codeAfter(changes: readonly Change[], { level = COLLECTOR_STATES, ageMs = 0 } = {}): string {
  const log = aLog()
  log.append([{ type: 'feature', level }, aReport('h1'), aReport('h2'), ...changes], { at: 1_000 })
  if (ageMs > 0) log.append([aReport('h2', {}, 2)], { at: 1_000 + ageMs })
  return freshDocumentsOf(storage, log.fleet, 60).refusal(log.fleet.hosts.get(0 as HostIndex)).code
}

describe('the reason for which a document is missing', () => {
  test.each<[string, readonly Change[], object, string]>([
    ['its collector is paused', [states('h1', one('storage', 'PAUSED'))], {}, 'namespace.not_sent'],
    ['its collector is slowed', [states('h1', one('storage', 'SLOWED'))], {}, 'namespace.not_sent'],
    [
      'the last document is too old, and its collector is paused',
      [pools('h1'), states('h1', one('storage', 'PAUSED'))],
      { ageMs: 61_000 },
      'namespace.not_sent',
    ],
    ['its collector fails', [states('h1', one('storage', 'FAILING', { error }))], {}, 'namespace.not_sent'],
    ['its collector was not run yet', [states('h1', one('storage', 'WAITING'))], {}, 'namespace.not_sent'],
    ['its collector sends', [states('h1', one('storage', 'SENDING'))], {}, 'namespace.not_reported'],
    ['another collector is paused', [states('h1', one('power', 'PAUSED'))], {}, 'namespace.not_reported'],
    ['the collector of another host is paused', [states('h2', one('storage', 'PAUSED'))], {}, 'namespace.not_reported'],
    [
      'the agent has not repeated that it is paused for 20 minutes',
      [states('h1', one('storage', 'PAUSED'))],
      { ageMs: 1_200_001 },
      'namespace.not_reported',
    ],
    ['the agent repeated it within 20 minutes', [states('h1', one('storage', 'PAUSED'))], { ageMs: 1_200_000 }, 'namespace.not_sent'],
    ['the states cannot be read', [states('h1', { name: 'storage' })], {}, 'namespace.not_reported'],
    ['the fleet has an earlier level', [states('h1', one('storage', 'PAUSED'))], { level: 10 }, 'namespace.not_reported'],
  ])('%s', (_name, changes, when, code) => {
    expect(codeAfter(changes, when)).toBe(code)
  })
})

test('documents of the namespace need the feature level of collectors', () => {
  expect([levelOf(states('h1')), levelOf(pools('h1')), levelOf(aDocument('h1', 'power', {}))]).toEqual([COLLECTOR_STATES, 5, 7])
})

test('a host whose states cannot be read, or that has none, shows no collectors', () => {
  const log = aLog()
  log.append([{ type: 'feature', level: COLLECTOR_STATES }, aReport('h1'), aReport('h2'), states('h2', { name: 'power' })])
  expect(log.fleet.hosts.records.map((record) => collectorsOf(log.fleet, record))).toEqual([undefined, undefined])
})

describe('the counts of collectors', () => {
  test('count hosts by name, state and present error', () => {
    const log = aLog()
    const hosts = ['h1', 'h2', 'h3'].map((host) => aReport(host))
    log.append([{ type: 'feature', level: COLLECTOR_STATES }, ...hosts])
    // a paused collector does not fail now, whatever its last error is
    log.append([
      states('h1', one('power', 'SENDING'), one('files', 'PAUSED', { error })),
      states('h2', one('power', 'FAILING', { error })),
      states('h3', one('power', 'SENDING')),
    ])
    expect(atOnce(countCollectors(log.fleet))).toEqual({
      states: [
        { collector: 'power', value: 'SENDING', hosts: 2 },
        { collector: 'power', value: 'FAILING', hosts: 1 },
        { collector: 'files', value: 'PAUSED', hosts: 1 },
      ],
      errors: [{ collector: 'power', value: 'TIME_LIMIT', hosts: 1 }],
    })
    log.append([aReport('h1', {}, 2)], { at: log.fleet.now + 1_200_001 })
    expect(atOnce(countCollectors(log.fleet)).states).toContainEqual({ collector: 'power', value: 'OUTDATED', hosts: 3 })
    log.append([{ type: 'forget', hosts: [{ host: 'h1', node: 'h1' }], isForced: false, reason: 'gone', by: 'me' } as never])
    expect(atOnce(countCollectors(log.fleet)).states).toEqual([{ collector: 'power', value: 'OUTDATED', hosts: 2 }])
  })

  test('have a bounded number of names, whatever hosts report', () => {
    const log = aLog()
    const hosts = Array.from({ length: 4 }, (_, i) => `h${i}`)
    log.append([{ type: 'feature', level: COLLECTOR_STATES }, ...hosts.map((host) => aReport(host))])
    log.append(
      hosts.map((host) => {
        const names = Array.from({ length: 31 }, (_, i) => one(`${host}-${i}`, 'FAILING', { error }))
        return states(host, one('power', 'SENDING'), ...names)
      }),
    )
    const counted = atOnce(countCollectors(log.fleet))
    expect(new Set(counted.states.map(({ collector }) => collector)).size).toBe(MAX_NAMES + 1)
    expect(counted.states).toContainEqual({ collector: 'power', value: 'SENDING', hosts: 4 })
    expect(counted.errors).toContainEqual({ collector: OTHER, value: 'TIME_LIMIT', hosts: 4 * 31 - (MAX_NAMES - 1) })
  })
})
