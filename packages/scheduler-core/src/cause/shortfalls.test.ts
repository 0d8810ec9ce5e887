import { describe, expect, test } from 'vitest'
import { type Change, FEATURE_LEVEL } from '../fleet/change.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import type { Profile } from '../profiles/profile.ts'
import { aDocument, aLog, aReport, aRequest, aUuid, type HostShape } from '../testing/index.ts'
import { causeOf } from './cause.ts'
import { causeText } from './cause-text.ts'

const profileNamed = (name: string) => builtInProfiles.find((profile) => profile.name === name) as Profile

const textOf = (fleet: Fleet, asks: Parameters<typeof aRequest>[0], profile: string): string =>
  causeText(causeOf(fleet, aRequest(asks), profileNamed(profile)))

test('what an operator keeps back is said of each amount, whatever the filter says of them first', () => {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('a', { vcpus: 16, memoryMb: 1_000, localGb: 100 })])
  const reserve = (resourceClass: string, reserved: number): Change =>
    ({ type: 'hostAllocation', host: 'a', node: 'a', resourceClass, reserved, by: 'kim', reason: 'tests' }) as const
  log.append([reserve('MEMORY_MB', 900), reserve('DISK_GB', 90)])
  expect(textOf(log.fleet, { flavor: { vcpus: 1, memoryMb: 500, rootGb: 50 } }, 'nova-compat')).toContain(
    'a: 500 MiB needed by one instance; the host has 100 MiB in all; 900 of its 1000 MiB are reserved (set by kim: tests). ' +
      '50 GiB needed by one instance; the host has 10 GiB in all; 90 of its 100 GiB are reserved (set by kim: tests).',
  )
})

test.each(['default', 'nova', 'nova-compat', 'best-fit'])(
  'A8: %s says of each class in the same words what is not there in all',
  (profile) => {
    const log = aLog()
    const inventories = ['CUSTOM_P', 'CUSTOM_Q'].map((resourceClass) => ({ resourceClass, total: 10, reserved: 6 }))
    log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('a', { vcpus: 8, memoryMb: 2_000, localGb: 10, inventories })])
    const extraSpecs = { 'resources:CUSTOM_P': '5', 'resources:CUSTOM_Q': '7' }
    expect(textOf(log.fleet, { flavor: { vcpus: 16, memoryMb: 4_000, rootGb: 20, extraSpecs } }, profile)).toContain(
      'a: 16 vCPUs needed by one instance; the host has 8 in all. 4000 MiB needed by one instance; the host has 2000 MiB in all. ' +
        '20 GiB needed by one instance; the host has 10 GiB in all. ' +
        'CUSTOM_P: 5 needed by one instance; the host has 4 in all; 6 of its 10 are reserved (by its report). ' +
        'CUSTOM_Q: 7 needed by one instance; the host has 4 in all; 6 of its 10 are reserved (by its report).',
    )
  },
)

test('of a class of which the nearest host reports nothing that is said, though it lacks others too', () => {
  const log = aLog()
  const inventories = [{ resourceClass: 'CUSTOM_P', total: 10 }]
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('a', { vcpus: 8, inventories })])
  const extraSpecs = { 'resources:CUSTOM_P': '15', 'resources:CUSTOM_Q': '7' }
  for (const profile of ['default', 'nova', 'nova-compat', 'best-fit'])
    expect(textOf(log.fleet, { flavor: { vcpus: 16, memoryMb: 64, extraSpecs } }, profile)).toContain(
      'Nearest is a: 16 vCPUs needed by one instance; the host has 8 in all. CUSTOM_P: 15 needed by one instance; the host has 10 in all. CUSTOM_Q: 7 needed, 0 reported.',
    )
})

describe.each(['default', 'nova', 'nova-compat', 'best-fit'])('by profile %s, a lack that a reserved amount causes names it', (profile) => {
  const reported = (asks: Parameters<typeof aRequest>[0], shape: HostShape, changes: readonly Change[] = []) => {
    const log = aLog()
    log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('a', shape), ...changes])
    return textOf(log.fleet, asks, profile)
  }
  const pool = (usedGib: number): Change[] => [
    {
      type: 'aggregate',
      uuid: aUuid(70),
      expectedVersion: 0,
      next: { name: 'pool', hosts: ['a'], metadata: { 'gantt:disk_pool': aUuid(71) } },
    },
    aDocument('a', 'storage', { pools: [{ uuid: aUuid(71), name: 'p', totalGib: 100, reservedGib: 20, usedGib }] }),
  ]
  const disk = (rootGb: number) => ({ flavor: { vcpus: 1, memoryMb: 64, rootGb } })

  test('A18: of a pool in all, and nothing is said of which pool it is besides', () => {
    expect(reported(disk(90), {}, pool(0))).toBe(
      'The only host does not take it. a: The pool p has 80 GiB in all; 90 GiB were asked for by one instance; ' +
        '20 of its 100 GiB are reserved (by the storage document of a).',
    )
  })

  test('of what is left in a pool, where that would be enough', () => {
    expect(reported(disk(40), {}, pool(50))).toContain(
      'a: The pool p has 30 GiB left; 40 GiB were asked for; 20 of its 100 GiB are reserved (by the storage document of a).',
    )
    expect(reported(disk(60), {}, pool(50))).toMatch(/a: The pool p has 30 GiB left; 60 GiB were asked for\.$/)
  })

  test('of a pool for all members of a group that lives together', () => {
    const group = { numInstances: 3, instanceGroup: { uuid: aUuid(9), policy: 'AFFINITY' as const } }
    expect(reported({ ...disk(40), ...group }, { vcpus: 64 }, pool(0))).toContain(
      'a: The pool p has 80 GiB in all; 120 GiB were asked for by its 3 instances; 20 of its 100 GiB are reserved (by the storage document of a).',
    )
    expect(reported({ ...disk(25), ...group }, { vcpus: 64 }, pool(10))).toContain(
      'a: The pool p has 70 GiB left; 75 GiB were asked for by its 3 instances; 20 of its 100 GiB are reserved (by the storage document of a).',
    )
  })

  test('of what is free by a report, where that would be enough', () => {
    const shape = { vcpus: 8, inventories: [{ resourceClass: 'CUSTOM_Q', total: 10, reserved: 3, used: 5 }] }
    const asks = (amount: number) => ({ flavor: { vcpus: 1, memoryMb: 64, extraSpecs: { 'resources:CUSTOM_Q': String(amount) } } })
    expect(reported(asks(4), shape)).toContain('a: CUSTOM_Q: 4 needed, 2 free; 3 of its 10 are reserved (by its report).')
    expect(reported(asks(6), shape)).toMatch(/a: CUSTOM_Q: 6 needed, 2 free\.$/)
  })
})
