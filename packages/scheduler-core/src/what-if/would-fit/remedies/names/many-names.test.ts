import { describe, expect, test } from 'vitest'
import { builtInProfiles } from '../../../../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../../../../records/change.ts'
import type { Profile } from '../../../../records/profile.ts'
import { aLog, aReport, aRequest, aUuid } from '../../../../testing/index.ts'
import type { Reason } from '../../../../text/reason.ts'
import type { HostIndex } from '../../../../values/host-index.ts'
import { atOnce } from '../../../../values/steps.ts'
import { surveyRefusals } from '../../survey.ts'
import { whatWouldFit } from '../../what-would-fit.ts'
import { respelt } from './spelling.ts'

/* A request can list many hosts. Changes must be found for it within a limited count of search steps. */

const HOSTS = 400
const nameOf = (i: number): string => `compute-${String(i).padStart(4, '0')}.example.org`
const profile = builtInProfiles.find(({ name }) => name === 'default') as Profile
const GIB = 1_024

function fleetOf() {
  const log = aLog()
  const reports = Array.from({ length: HOSTS }, (_, i) => aReport(nameOf(i), { memoryMb: (1 + (i % 90)) * 64, vcpus: 1 + (i % 4) }))
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...reports])
  return log.fleet
}

function answerOf(asked: Parameters<typeof aRequest>[0]) {
  const options = {
    profile,
    seed: 's',
    kinds: ['REQUEST', 'FLEET', 'POLICY'] as const,
    maxChanges: 2,
    first: 10,
    minHosts: 1,
    maxRuns: 100,
  }
  const work = whatWouldFit(fleetOf(), { ...options, request: aRequest(asked), isOver: () => false })
  let steps = 0
  for (;;) {
    const step = work.next()
    if (step.done) return { ...step.value, steps }
    steps++
  }
}

const there = Array.from({ length: 90 }, (_, i) => nameOf(i))
const misspelt = there.map((name) => name.replace('.org', '.com'))

describe.each<[string, Parameters<typeof aRequest>[0], string | null]>([
  ['90 forced hosts, each of which lacks memory', { forceHosts: there, memoryMb: 64 * GIB }, 'memory'],
  ['90 forced hosts, and each name is misspelt', { forceHosts: misspelt, memoryMb: 64 }, 'hosts asked for'],
  [
    '90 forced hosts, and a destination that is none of them',
    { forceHosts: there, requestedDestination: { host: nameOf(300) }, memoryMb: 64 },
    'hosts asked for',
  ],
  [
    '90 forced hosts and 90 other forced nodes',
    { forceHosts: there, forceNodes: Array.from({ length: 90 }, (_, i) => nameOf(200 + i)), memoryMb: 64 },
    'hosts asked for',
  ],
  ['90 forced hosts that are all ignored', { forceHosts: there, ignoreHosts: there, memoryMb: 64 }, null],
  [
    '90 forced hosts in aggregates that do not exist',
    { forceHosts: there, memoryMb: 64, requestedDestination: { aggregates: [aUuid(1)] } },
    null,
  ],
])('%s', (_what, asked, subject) => {
  test('the search needs at most 100 decisions and 6000 steps, and finds the expected change', () => {
    const { runs, steps, counterfactuals } = answerOf(asked)
    expect(runs).toBeLessThanOrEqual(100)
    expect(steps).toBeLessThanOrEqual(6_000)
    if (subject !== null) expect(counterfactuals.flatMap(({ changes }) => changes.map((change) => change.subject))).toContain(subject)
  })
})

test('each misspelt name is compared with the names of the fleet only once, even if many hosts are refused for it', () => {
  const fleet = fleetOf()
  const request = aRequest({ forceHosts: misspelt })
  const { nearest } = atOnce(surveyRefusals(fleet, request, profile, { instance: 0, minHosts: 1, judged: profile }))
  const work = { compared: 0 }
  for (let i = 0; i < 50; i++) for (const { refusals } of nearest) for (const refusal of refusals) respelt(refusal, work)
  expect(work.compared).toBeGreaterThan(0)
  expect(work.compared).toBeLessThanOrEqual(8 * HOSTS)
})

describe('of 20 misspelt names of one kind, only the first 8 are looked up, even if each causes a separate refusal', () => {
  const words = Array.from({ length: 20 }, (_, i) => `SOMETHING_${String.fromCharCode(65 + i).repeat(3)}`)
  const log = aLog()
  log.append([
    { type: 'feature', level: FEATURE_LEVEL },
    aReport('h', {
      traits: words.map((word) => `${word}S`),
      inventories: words.map((word) => ({ resourceClass: `CUSTOM_${word}S`, total: 1 })),
    }),
  ])
  const metadata = Object.fromEntries(
    words.flatMap((word) => [
      [`${word}S`, 'x'],
      [`KEY_${word}`, 'values'],
    ]),
  )
  log.append([{ type: 'aggregate', uuid: aUuid(1), expectedVersion: 0, next: { name: 'all', hosts: ['h'], metadata } }])
  const specs = (entries: readonly (readonly [string, string])[]) => ({
    flavor: { vcpus: 1, memoryMb: 64, extraSpecs: Object.fromEntries(entries) },
  })
  test.each<[string, Parameters<typeof aRequest>[0], (word: string) => Reason]>([
    ['traits', specs(words.map((word) => [`trait:${word}`, 'required'])), (word) => ({ code: 'trait.missing', need: word })],
    [
      'resource classes',
      specs(words.map((word) => [`resources:CUSTOM_${word}`, '1'])),
      (word) => ({ code: 'class.not_reported', subject: `CUSTOM_${word}` }),
    ],
    [
      'keys of extra specs',
      specs(words.map((word) => [`aggregate_instance_extra_specs:${word}`, 'x'])),
      (word) => ({ code: 'aggregate.extra_spec', subject: word, need: 'x' }),
    ],
    [
      'values of extra specs',
      specs(words.map((word) => [`aggregate_instance_extra_specs:KEY_${word}`, 'value'])),
      (word) => ({ code: 'aggregate.extra_spec', subject: `KEY_${word}`, need: 'value' }),
    ],
  ])('%s', (_kind, asked, reasonOf) => {
    const request = aRequest(asked)
    const found = words.flatMap((word) =>
      respelt({ fleet: log.fleet, request, profile, host: 0 as HostIndex, filter: 'any', reason: reasonOf(word) }),
    )
    expect(new Set(found.map(({ subject, from }) => `${subject} ${from}`)).size).toBe(8)
  })
})
