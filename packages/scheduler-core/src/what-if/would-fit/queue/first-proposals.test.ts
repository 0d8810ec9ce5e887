import { describe, expect, test, vi } from 'vitest'
import { builtInProfiles } from '../../../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../../../records/change.ts'
import type { Profile } from '../../../records/profile.ts'
import { aClaim, aLog, aReport, aRequest, aUuid, type HostShape } from '../../../testing/index.ts'
import { atOnce } from '../../../values/steps.ts'
import { surveyRefusals } from '../survey.ts'
import { type WhatWouldFitOptions, whatWouldFit } from '../what-would-fit.ts'

/* A simple change for the nearest host must be found before the search reaches its limit of decisions. */

const GIB = 1_024
const profile = builtInProfiles.find(({ name }) => name === 'default') as Profile
const limits = { profile, seed: 's', maxChanges: 2, first: 10, minHosts: 1, maxRuns: 100, isOver: () => false }

const saidBy = (fleet: Parameters<typeof whatWouldFit>[0], options: Pick<WhatWouldFitOptions, 'request' | 'kinds'>): readonly string[] =>
  atOnce(whatWouldFit(fleet, { ...limits, ...options })).counterfactuals.map(({ changes }) =>
    changes.map(({ subject, to }) => `${subject} -> ${to}`).join('; '),
  )

interface Near {
  readonly shape: HostShape
  readonly changes?: Parameters<ReturnType<typeof aLog>['append']>[0]
}

/**
 * A fleet with the host `near`, which has a single refusal, and 60 other hosts, for which several changes are needed. The refusals of each
 * host are different.
 */
function crowded({ shape, changes = [] }: Near) {
  const others = Array.from({ length: 60 }, (_, i) => `h${i}`)
  const log = aLog()
  log.append([
    { type: 'feature', level: FEATURE_LEVEL },
    ...others.map((name) => aReport(name, { memoryMb: 64 * GIB, vcpus: 8, localGb: 2_000 })),
    aReport('near', { memoryMb: 128 * GIB, vcpus: 8, traits: ['FAST'], ...shape }),
  ])
  const zoneOf = (name: string) => ({ name, hosts: [name], metadata: { availability_zone: name } })
  log.append(
    [...others, 'near'].map((name, i) => ({ type: 'aggregate' as const, uuid: aUuid(i + 1), expectedVersion: 0, next: zoneOf(name) })),
  )
  others.forEach((host, i) => {
    expect(log.append([aClaim({ key: `k${i}`, hosts: [host] })])).toEqual([undefined])
  })
  for (const change of changes) expect(log.append([change])).toEqual([undefined])
  return log.fleet
}

const request = aRequest({
  availabilityZone: 'near',
  flavor: { vcpus: 1, memoryMb: 64 * GIB, rootGb: 1_000, extraSpecs: { 'trait:FAST': 'required' } },
})

describe('a change for the nearest host is proposed, although changes of less effort for 60 other hosts are tried first', () => {
  const disabled = [{ type: 'status', host: 'near', node: 'near', status: 'DISABLED', reason: 'fan' }] as const
  test.each<readonly [string, Near, WhatWouldFitOptions['kinds'], string]>([
    ['a smaller disk', { shape: { localGb: 10 } }, ['REQUEST', 'FLEET'], 'disk -> 10 GiB'],
    [
      'one more host like a disabled host',
      { shape: { localGb: 2_000 }, changes: disabled },
      ['REQUEST', 'FLEET'],
      'hosts -> one more like near',
    ],
  ])('%s', (_change, near, kinds, expected) => {
    expect(saidBy(crowded(near), { request, kinds })).toContain(expected)
  })
})

test('if the search for the nearest number reaches its limit, a number that is farther than necessary is proposed', () => {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h', { memoryMb: 50_000 })])
  const answer = atOnce(
    whatWouldFit(log.fleet, {
      ...limits,
      request: aRequest({ memoryMb: 60_000, vcpus: 1, numInstances: 2 }),
      kinds: ['REQUEST'],
      maxRuns: 9,
    }),
  )
  expect([answer.cut, answer.counterfactuals.length]).toEqual(['limit', 1])
})

test('proposing amounts for 50 refused hosts does not read the unit rules of all hosts for each proposal', () => {
  const log = aLog()
  const names = Array.from({ length: 50 }, (_, i) => `h${i}`)
  log.append([
    { type: 'feature', level: FEATURE_LEVEL },
    ...names.map((name) => aReport(name, { memoryMb: 64 * GIB, memoryMbUsed: 32 * GIB })),
  ])
  for (const host of names) expect(log.append([aClaim({ key: host, hosts: [host] })])).toEqual([undefined])
  const read = vi.spyOn(log.fleet.hosts, 'present', 'get')
  const { nearest } = atOnce(
    surveyRefusals(log.fleet, aRequest({ memoryMb: 64 * GIB, vcpus: 1 }), profile, { instance: 0, minHosts: 1, judged: profile }),
  )
  expect(nearest.length).toBe(2)
  expect(read.mock.calls.length).toBeLessThan(5)
})

test('a proposal that drops more than another one of the same effort is not shown, although it unlocks more hosts and only one is asked for', () => {
  const log = aLog()
  const cells = [{ id: 0, cpuset: [0, 1, 2, 3], memoryMb: 2 * GIB }]
  log.append([
    { type: 'feature', level: FEATURE_LEVEL },
    aReport('a-plain', { vcpus: 2, memoryMb: GIB, localGb: 0 }),
    aReport('b-cells', { vcpus: 2, memoryMb: GIB, localGb: 0, numaCells: cells }),
  ])
  const cell = { id: 0, cpus: [0, 1], memoryMb: GIB, cpuPolicy: 'shared', dedicatedCpus: [], cpuThreadPolicy: null, pageSize: 1_048_576 }
  const ofPages = aRequest({ flavor: { vcpus: 2, memoryMb: GIB }, numaTopology: { cells: [cell], emulatorThreadsPolicy: null } as never })
  for (const first of [1, 3])
    expect(
      atOnce(whatWouldFit(log.fleet, { ...limits, first, request: ofPages, kinds: ['REQUEST', 'FLEET', 'POLICY'] })).counterfactuals.map(
        ({ text }) => text,
      ),
    ).toEqual(['request: NUMA topology, page size 1048576 KiB -> not asked: unlocks 1 host (b-cells)'])
})
