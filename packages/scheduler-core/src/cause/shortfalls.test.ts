import { describe, expect, test } from 'vitest'
import type { Fleet } from '../fleet/fleet.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import { type Change, FEATURE_LEVEL } from '../records/change.ts'
import type { Profile } from '../records/profile.ts'
import { aClaim, aDocument, aLog, aReport, aRequest, aUuid, type HostShape } from '../testing/index.ts'
import { causeOf } from './cause.ts'
import { causeText } from './cause-text.ts'

const profileNamed = (name: string) => builtInProfiles.find((profile) => profile.name === name) as Profile

const textOf = (fleet: Fleet, asks: Parameters<typeof aRequest>[0], profile: string): string =>
  causeText(causeOf(fleet, aRequest(asks), profileNamed(profile)))

test('the sentence about each amount names the part that an operator reserved', () => {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('a', { vcpus: 16, memoryMb: 1_000, localGb: 100 })])
  const reserve = (resourceClass: string, reserved: number): Change =>
    ({ type: 'hostAllocation', host: 'a', node: 'a', resourceClass, reserved, by: 'kim', reason: 'tests' }) as const
  log.append([reserve('MEMORY_MB', 900), reserve('DISK_GB', 90)])
  expect(textOf(log.fleet, { flavor: { vcpus: 1, memoryMb: 500, rootGb: 50 } }, 'nova-compat')).toContain(
    'a: Memory: 500 MiB needed by one instance; the host has 100 MiB in total; 900 of its 1000 MiB are reserved (set by kim: tests). ' +
      'Disk: 50 GiB needed by one instance; the host has 10 GiB in total; 90 of its 100 GiB are reserved (set by kim: tests).',
  )
})

test.each(['default', 'nova', 'nova-compat', 'best-fit'])('A8: by profile %s, all classes have the same words for totals', (profile) => {
  const log = aLog()
  const inventories = ['CUSTOM_P', 'CUSTOM_Q'].map((resourceClass) => ({ resourceClass, total: 10, reserved: 6 }))
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('a', { vcpus: 8, memoryMb: 2_000, localGb: 10, inventories })])
  const extraSpecs = { 'resources:CUSTOM_P': '5', 'resources:CUSTOM_Q': '7' }
  expect(textOf(log.fleet, { flavor: { vcpus: 16, memoryMb: 4_000, rootGb: 20, extraSpecs } }, profile)).toContain(
    'a: 16 vCPUs needed by one instance; the host has 8 in total. Memory: 4000 MiB needed by one instance; the host has 2000 MiB in total. ' +
      'Disk: 20 GiB needed by one instance; the host has 10 GiB in total. ' +
      'CUSTOM_P: 5 needed by one instance; the host has 4 in total; 6 of its 10 are reserved (by its report). ' +
      'CUSTOM_Q: 7 needed by one instance; the host has 4 in total; 6 of its 10 are reserved (by its report).',
  )
})

test('the cause names a resource class that the nearest host does not report, even if the host lacks other resources too', () => {
  const log = aLog()
  const inventories = [{ resourceClass: 'CUSTOM_P', total: 10 }]
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('a', { vcpus: 8, inventories })])
  const extraSpecs = { 'resources:CUSTOM_P': '15', 'resources:CUSTOM_Q': '7' }
  for (const profile of ['default', 'nova', 'nova-compat', 'best-fit'])
    expect(textOf(log.fleet, { flavor: { vcpus: 16, memoryMb: 64, extraSpecs } }, profile)).toContain(
      'Nearest is a: 16 vCPUs needed by one instance; the host has 8 in total. CUSTOM_P: 15 needed by one instance; the host has 10 in total. CUSTOM_Q: 7 needed, 0 reported.',
    )
})

describe.each(['default', 'nova', 'nova-compat', 'best-fit'])('by profile %s, sentences name the reserved amount', (profile) => {
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

  test('A18: the sentence about a pool whose total is too small names the pool only once', () => {
    expect(reported(disk(90), {}, pool(0))).toBe(
      'The only host does not take it. a: The pool p has 80 GiB in total; 90 GiB were requested by one instance; ' +
        '20 of its 100 GiB are reserved (by the storage document of a).',
    )
  })

  test('the sentence about the free space of a pool names the reserved part if reserving less would suffice', () => {
    expect(reported(disk(40), {}, pool(50))).toContain(
      'a: The pool p has 30 GiB left; 40 GiB were requested; 20 of its 100 GiB are reserved (by the storage document of a).',
    )
    expect(reported(disk(60), {}, pool(50))).toMatch(/a: The pool p has 30 GiB left; 60 GiB were requested\.$/)
  })

  test('the sentence about a pool for all members of a group names the reserved part', () => {
    const group = { numInstances: 3, instanceGroup: { uuid: aUuid(9), policy: 'AFFINITY' as const } }
    expect(reported({ ...disk(40), ...group }, { vcpus: 64 }, pool(0))).toContain(
      'a: The pool p has 80 GiB in total; 120 GiB were requested by the 3 instances together; 20 of its 100 GiB are reserved (by the storage document of a).',
    )
    expect(reported({ ...disk(25), ...group }, { vcpus: 64 }, pool(10))).toContain(
      'a: The pool p has 70 GiB left; 75 GiB were requested by the 3 instances together; 20 of its 100 GiB are reserved (by the storage document of a).',
    )
  })

  test('the sentence about the free amount of a class names the reserved part if reserving less would suffice', () => {
    const shape = { vcpus: 8, inventories: [{ resourceClass: 'CUSTOM_Q', total: 10, reserved: 3, used: 5 }] }
    const asks = (amount: number) => ({ flavor: { vcpus: 1, memoryMb: 64, extraSpecs: { 'resources:CUSTOM_Q': String(amount) } } })
    expect(reported(asks(4), shape)).toContain('a: CUSTOM_Q: 4 needed, 2 free; 3 of its 10 are reserved (by its report).')
    expect(reported(asks(6), shape)).toMatch(/a: CUSTOM_Q: 6 needed, 2 free\.$/)
  })
})

describe('no shortfall of a host is named twice', () => {
  const saidOf = (shape: HostShape, asks: Parameters<typeof aRequest>[0], profile: string, changes: readonly Change[] = []) => {
    const log = aLog()
    log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('a', shape)])
    log.append(changes)
    return textOf(log.fleet, asks, profile).split(' a: ')[1]
  }
  const card = { vendorId: 'v', productId: 'p' }
  const numaCells = [0, 1].map((id) => ({ id, cpuset: [id], memoryMb: 4_096 }))
  const cells = { vcpus: 1, numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 1_024 }] }, memoryMb: 1_024 }
  const required = (vendor_id: string, count: number) => ({ count, numaPolicy: 'required' as const, specs: [{ vendor_id }] })
  test.each<[string, HostShape, Parameters<typeof aRequest>[0], string, string, Change?]>([
    [
      'too few devices near the cells, and no larger shortfall in total',
      { numaCells, pciPools: [{ ...card, numaNode: 1, total: 1 }] },
      { ...cells, pciRequests: [required('v', 2)] },
      'default',
      "PCI request 0 (vendor v): 2 devices needed near the guest's NUMA cells, 1 free there.",
    ],
    [
      'a forced host that is disabled, by the rules of Nova',
      {},
      { forceHosts: ['a'] },
      'nova-compat',
      'The host is DISABLED: fan.',
      { type: 'status', host: 'a', node: 'a', status: 'DISABLED', reason: 'fan' },
    ],
    [
      'dedicated CPUs, whose unit is their name',
      { inventories: [{ resourceClass: 'PCPU', total: 2 }] },
      { flavor: { vcpus: 1, memoryMb: 64, extraSpecs: { 'resources:PCPU': '3', 'resources:VCPU': '0' } } },
      'default',
      '3 dedicated CPUs needed by one instance; the host has 2 in total.',
    ],
    [
      'several devices, of which one exists but is not near',
      {
        numaCells,
        pciPools: [
          { ...card, total: 1 },
          { vendorId: 'w', productId: 'p', total: 1 },
        ],
      },
      { ...cells, pciRequests: [required('v', 1), required('w', 2)] },
      'default',
      "PCI request 0 (vendor v): 1 device needed near the guest's NUMA cells, 0 free there; elsewhere 1 at no known cell. PCI request 1 (vendor w): 2 devices needed near the guest's NUMA cells, 0 free there.",
    ],
  ])('%s', (_what, shape, asks, profile, text, change) => {
    expect(saidOf(shape, asks, profile, change === undefined ? [] : [change])).toBe(text)
  })

  test('if several groups must be kept apart, there is one sentence of the same form for each group', () => {
    const others = [81, 82].map((number) =>
      aClaim({
        key: `k${number}`,
        hosts: ['a'],
        grants: {},
        group: { uuid: aUuid(number), policy: 'SOFT_AFFINITY', maxServerPerHost: null },
      }),
    )
    const instanceGroup = { uuid: aUuid(80), policy: 'SOFT_AFFINITY' as const, apartFrom: [aUuid(81), aUuid(82)] }
    const of = (number: number) => `Server group ${aUuid(80)}: the host must have no member of ${aUuid(number)}; it has 1.`
    expect(saidOf({}, { instanceGroup }, 'default', others)).toBe(`${of(81)} ${of(82)}`)
  })
})
