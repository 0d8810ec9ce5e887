import { expect, test } from 'vitest'
import { examine } from '../examine/examine.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import type { AggregateState } from '../records/change.ts'
import { type Profile, profileSchema } from '../records/profile.ts'
import { decide } from '../schedulers/decide.ts'
import { aLog, aReport, aRequest, aUuid, type TestLog } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'
import { contributionAt, multiplierAt } from './weighing/run-weighers.ts'

const profileNamed = (name: string): Profile => {
  const profile = builtInProfiles.find((known) => known.name === name)
  if (profile === undefined) throw new Error(`no profile ${name}`)
  return profile
}

const byMemory = (aggregateMultiplier: boolean, multiplier = 1): Profile =>
  profileSchema.parse({
    name: 'test',
    number: 1,
    filters: [],
    weighers: [{ name: 'RAMWeigher', multiplier, options: { aggregateMultiplier } }],
  })

/** A log with the hosts large (4 GiB), middle (2 GiB) and small (1 GiB), and these aggregates. */
function aLogWith(...aggregates: readonly Omit<AggregateState, 'name'>[]): TestLog {
  const log = aLog()
  log.append([aReport('large', { memoryMb: 4_096 }), aReport('middle', { memoryMb: 2_048 }), aReport('small', { memoryMb: 1_024 })])
  for (const [i, next] of aggregates.entries())
    expect(log.append([{ type: 'aggregate', uuid: aUuid(i), expectedVersion: 0, next: { name: `a${i}`, ...next } }])).toEqual([undefined])
  return log
}

const key = 'ram_weight_multiplier'
const said = (value: string, ...hosts: readonly string[]) => ({ hosts, metadata: { [key]: value } })

function winnerOf({ fleet }: TestLog, profile: Profile): string | undefined {
  const overlay = openOverlay(fleet)
  const { parts } = decide(fleet, overlay, {
    ...{ id: 'd', request: aRequest({ memoryMb: 512 }), profile, seed: 's', attempt: 1 },
    ...{ alternatesPerInstance: 0, allOrNothing: true, claimIds: ['c1'] },
  })
  overlay.discard()
  return parts[0]?.host
}

test.each<[string, readonly Omit<AggregateState, 'name'>[], string]>([
  ['no aggregate sets a multiplier', [{ hosts: ['small'], metadata: { rack: '1' } }], 'large'],
  ['an aggregate with a high multiplier lifts its host above larger hosts', [said('10', 'small')], 'small'],
  ['an aggregate with a negative multiplier makes its host the last choice', [said('-1', 'large')], 'middle'],
  ['the lowest of several multipliers applies', [said('10', 'small'), said('0.5', 'small')], 'large'],
  ['instead of a value that is no number, the multiplier of the profile applies', [said('plenty', 'small')], 'large'],
  ['with a valid and an invalid value, the multiplier of the profile applies', [said('10', 'small'), said('plenty', 'small')], 'large'],
  ['infinity is no multiplier', [said('inf', 'small')], 'large'],
  ['a value above the maximum for profiles is no multiplier', [said('1e10', 'small')], 'large'],
  ['the key of another weigher has no effect', [{ hosts: ['small'], metadata: { cpu_weight_multiplier: '10' } }], 'large'],
])('%s', (_what, aggregates, winner) => {
  expect(winnerOf(aLogWith(...aggregates), byMemory(true))).toBe(winner)
  expect(winnerOf(aLogWith(...aggregates), byMemory(false))).toBe('large')
  // Nova always reads the multipliers of aggregates.
  const likeNova = { name: 'test', number: 1, compat: 'nova', filters: [], weighers: [{ name: 'RAMWeigher', multiplier: 1 }] }
  expect(winnerOf(aLogWith(...aggregates), profileSchema.parse(likeNova))).toBe(winner)
})

test('the profile nova uses the multipliers of aggregates, and the profile default does not', () => {
  const log = aLogWith(said('100', 'small'))
  expect([winnerOf(log, profileNamed('nova')), winnerOf(log, profileNamed('default'))]).toEqual(['small', 'large'])
})

test('an examination has the multiplier of each host and its source, and totals are the sum of the contributions of weighers', () => {
  const log = aLogWith(said('10', 'small'), { hosts: ['large', 'small'], metadata: {} })
  const { weighed, multiplierSources } = examine(log.fleet, aRequest({ memoryMb: 512 }), byMemory(true, 2), 's')
  const scores = weighed.weighers[0]
  if (scores === undefined) throw new Error('nothing was weighed')
  expect(scores.multiplier).toBe(2)
  expect([0, 1, 2].map((position) => multiplierAt(scores, position))).toEqual([2, 2, 10])
  expect([0, 1, 2].map((position) => contributionAt(scores, position))).toEqual([...weighed.totals])
  expect([...(multiplierSources[0] ?? [])]).toEqual([[2 as HostIndex, `aggregate a0 ${key}`]])
})

test('if no aggregate sets a multiplier, no multipliers of hosts are stored', () => {
  const { weighed, multiplierSources } = examine(aLogWith().fleet, aRequest({ memoryMb: 512 }), byMemory(true), 's')
  expect([weighed.weighers[0]?.multipliers, multiplierSources[0]?.size]).toEqual([undefined, 0])
})

test('after a host joins or leaves an aggregate, or an aggregate is edited, the host is weighed by the new metadata', () => {
  const log = aLogWith(said('10', 'small'))
  const edit = (expectedVersion: number, next: AggregateState | null) =>
    expect(log.append([{ type: 'aggregate', uuid: aUuid(0), expectedVersion, next }])).toEqual([undefined])
  const winner = () => winnerOf(log, byMemory(true))
  expect([winner(), winner()]).toEqual(['small', 'small'])
  edit(1, { name: 'a0', ...said('10', 'middle') })
  expect(winner()).toBe('middle')
  edit(2, { name: 'a0', ...said('-1', 'large', 'middle') })
  expect(winner()).toBe('small')
  edit(3, null)
  expect(winner()).toBe('large')
})
