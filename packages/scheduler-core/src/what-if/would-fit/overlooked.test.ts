import { describe, expect, test } from 'vitest'
import { builtInProfiles } from '../../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import type { Profile } from '../../records/profile.ts'
import { aLog, aReport, aRequest, aUuid, type HostShape } from '../../testing/index.ts'
import { atOnce } from '../../values/steps.ts'
import { type WhatWouldFitOptions, whatWouldFit } from './what-would-fit.ts'

/* Changes that a search among the nearest hosts alone would overlook. */

const GIB = 1_024

interface Situation {
  readonly hosts: readonly HostShape[]
  readonly asked: Parameters<typeof aRequest>[0]
  readonly expected: readonly string[]
  readonly maxChanges?: number
  /** Aggregates that contain a single host. The numbers are the indexes of these hosts. */
  readonly aggregates?: readonly number[]
  /** Availability zones that contain a single host, with the index of the host. */
  readonly zones?: Readonly<Record<string, number>>
}

function answerFor(
  hosts: readonly HostShape[],
  { asked, aggregates = [], zones = {}, maxChanges = 1 }: Omit<Situation, 'hosts' | 'expected'>,
  named = 'default',
  more: Partial<WhatWouldFitOptions> = {},
) {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...hosts.map((shape, i) => aReport(`h${i}`, shape))])
  const ofZones = Object.entries(zones).map(([zone, host]) => ({ host, metadata: { availability_zone: zone } }))
  const next = [...aggregates.map((host) => ({ host, metadata: {} })), ...ofZones]
  log.append(
    next.map(({ host, metadata }, i) => ({
      ...{ type: 'aggregate', uuid: aUuid(i + 1), expectedVersion: 0, next: { name: `a${i}`, hosts: [`h${host}`], metadata } },
    })),
  )
  const profile = builtInProfiles.find(({ name }) => name === named) as Profile
  return atOnce(
    whatWouldFit(log.fleet, {
      ...{ request: aRequest(asked), profile, kinds: ['REQUEST'], seed: 's', maxChanges },
      ...{ first: 50, minHosts: 1, maxRuns: 1_000, isOver: () => false },
      ...more,
    }),
  )
}

const saidOf = ({ counterfactuals }: ReturnType<typeof answerFor>): readonly string[] =>
  counterfactuals.map(({ changes }) => changes.map(({ subject, from, to }) => `${subject} ${from} -> ${to}`).join('; '))

const fpgas = (total: number, stepSize = 1, minUnit = 1) => [{ resourceClass: 'CUSTOM_FPGA', total, stepSize, minUnit }]
const asksFpgas = (count: number) => ({ vcpus: 1, memoryMb: GIB, extraSpecs: { 'resources:CUSTOM_FPGA': String(count) } })
const cellsOf = (...mib: readonly number[]): HostShape => ({
  ...{ vcpus: 16, memoryMb: 16 * GIB },
  numaCells: mib.map((memoryMb, id) => ({ id, cpuset: [0, 1, 2, 3].map((cpu) => cpu + 4 * id), memoryMb })),
})
const guestOf = (...mib: readonly number[]) => ({
  flavor: { vcpus: mib.length, memoryMb: mib.reduce((sum, one) => sum + one, 0) },
  numaTopology: { cells: mib.map((memoryMb, id) => ({ id, cpus: [id], memoryMb })) },
})
const many = (count: number): readonly HostShape[] => Array.from({ length: count }, () => ({}))

const rows: readonly (readonly [string, Situation])[] = [
  [
    'a host that lacks only memory, after hosts that lack less memory, but also the resource class',
    {
      hosts: [...Array.from({ length: 3 }, () => ({ memoryMb: 7 * GIB })), { memoryMb: 4 * GIB, inventories: fpgas(4) }],
      asked: { flavor: { ...asksFpgas(1), memoryMb: 8 * GIB } },
      expected: ['memory 8192 MiB -> 4096 MiB'],
    },
  ],
  [
    'a class with a step size, for several instances on one host',
    {
      hosts: [{ inventories: fpgas(32, 4) }],
      asked: { flavor: asksFpgas(16), numInstances: 3 },
      expected: ['CUSTOM_FPGA 16 -> 8', 'instances 3 -> 2'],
    },
  ],
  [
    'a class with a step size, for two instances on hosts with different step sizes',
    {
      hosts: [{ inventories: fpgas(30, 4) }, { inventories: fpgas(27, 6) }],
      asked: { flavor: asksFpgas(60), numInstances: 2 },
      expected: ['CUSTOM_FPGA 60 -> 24'],
    },
  ],
  [
    'a class with a min_unit above 1, for several instances on one host',
    {
      hosts: [{ inventories: fpgas(17, 1, 4) }],
      asked: { flavor: asksFpgas(9), numInstances: 3 },
      expected: ['CUSTOM_FPGA 9 -> 5', 'instances 3 -> 1'],
    },
  ],
  [
    'several instances with an image that needs a minimum of memory',
    {
      hosts: [{ memoryMb: 9 * GIB + 512, vcpus: 16 }],
      asked: { memoryMb: 9 * GIB, vcpus: 1, numInstances: 3, image: { id: 'i', minRamMb: GIB } },
      expected: ['memory 9216 MiB -> 3242 MiB', 'instances 3 -> 1'],
    },
  ],
  [
    'several instances with an image that needs a minimum root disk',
    {
      hosts: [{ memoryMb: 64 * GIB, vcpus: 16, localGb: 65 }],
      asked: { flavor: { vcpus: 1, memoryMb: GIB, rootGb: 60 }, numInstances: 3, image: { id: 'i', minDiskGb: 20 } },
      expected: ['disk 60 GiB -> 21 GiB', 'instances 3 -> 1'],
    },
  ],
  [
    'a guest with two unequal cells, one of which does not fit',
    {
      hosts: [cellsOf(4 * GIB, GIB)],
      asked: guestOf(4 * GIB, 2 * GIB),
      expected: [
        'memory of NUMA cell 0 4096 MiB -> 1024 MiB',
        'memory of NUMA cell 1 2048 MiB -> 1024 MiB',
        'NUMA topology 2 cells -> none',
      ],
    },
  ],
  [
    'a guest with two unequal cells, neither of which fits',
    {
      hosts: [cellsOf(5 * GIB, GIB)],
      asked: guestOf(6 * GIB, 2 * GIB),
      maxChanges: 2,
      expected: [
        'NUMA topology 2 cells -> none',
        'memory of NUMA cell 0 6144 MiB -> 1024 MiB',
        'memory of NUMA cell 0 6144 MiB -> 5120 MiB; memory of NUMA cell 1 2048 MiB -> 1024 MiB',
      ],
    },
  ],
  [
    'three requirements of which each host meets at most one, after many hosts that meet none',
    {
      hosts: many(20),
      aggregates: [19],
      asked: { forceHosts: ['h17'], requestedDestination: { host: 'h18', aggregates: [aUuid(1)] } },
      expected: [
        'hosts asked for and requested destination h17, h18 -> any',
        `hosts asked for and aggregates asked for h17, ${aUuid(1)} -> any`,
        `requested destination and aggregates asked for h18, ${aUuid(1)} -> any`,
      ],
    },
  ],
  [
    'three requirements of which each host meets at most one, and one of which is a zone',
    {
      hosts: many(20),
      zones: { a: 17, b: 18, c: 19 },
      maxChanges: 2,
      asked: { availabilityZone: 'c', forceHosts: ['h17'], requestedDestination: { host: 'h18' } },
      expected: [
        'hosts asked for and requested destination h17, h18 -> any',
        'requested destination h18 -> any; availability zone c -> any',
        'hosts asked for h17 -> any; availability zone c -> any',
      ],
    },
  ],
]

describe.each(['default', 'nova-compat'])('by the profile %s, exactly the smallest sufficient changes are proposed', (named) => {
  test.each(rows)('%s', (_situation, { hosts, expected, ...how }) => {
    const answer = answerFor(hosts, how, named)
    expect(saidOf(answer).toSorted()).toEqual(expected.toSorted())
    expect([answer.cut, answer.leftOut]).toEqual([null, 0])
  })
})

test('of 60 kinds of refused hosts, 48 are considered, and the result says that it is possibly incomplete', () => {
  // each host is in a separate zone, so the refusals of all hosts are different
  const zones = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`z${i}`, i]))
  const answer = answerFor(many(60), { asked: { availabilityZone: 'z', memoryMb: 900 * GIB }, zones })
  expect([answer.cut, answer.leftOut]).toEqual(['limit', 12])
})
