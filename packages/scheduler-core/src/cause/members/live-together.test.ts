import { describe, expect, test } from 'vitest'
import { openOverlay } from '../../fleet/overlay.ts'
import { type Change, FEATURE_LEVEL } from '../../records/change.ts'
import { decide } from '../../schedulers/decide.ts'
import { aClaim, aDocument, aLog, aReport, aRequest, aUuid, type HostShape } from '../../testing/index.ts'
import { profileNamed, textOf } from '../testing/town.ts'

describe('if all members must share a host and fit on no host, each host is compared with the needs of all members', () => {
  const group = { uuid: aUuid(9), policy: 'AFFINITY' as const }
  const TOGETHER = 'The instances belong to one server group with an affinity policy, so one host must fit all of them.'
  /** The text of the cause for the first instance that finds no host. */
  const causeIn = (
    shapes: Record<string, HostShape>,
    asks: Parameters<typeof aRequest>[0],
    changes: readonly Change[] = [],
    profile = 'default',
  ) => {
    const log = aLog()
    log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...Object.entries(shapes).map(([name, shape]) => aReport(name, shape))])
    expect(log.append(changes).every((verdict) => verdict === undefined)).toBe(true)
    const request = aRequest({ instanceGroup: group, ...asks })
    const claimIds = Array.from({ length: request.numInstances }, (_, i) => `c${i}`)
    const overlay = openOverlay(log.fleet)
    const input = { id: 'd', request, profile: profileNamed(profile), seed: 's', attempt: 1, alternatesPerInstance: 0, claimIds }
    const { found } = decide(log.fleet, overlay, { ...input, allOrNothing: false })
    expect(found).toBeLessThan(request.numInstances)
    const text = textOf(log.fleet, { instanceGroup: group, ...asks }, profile, found)
    overlay.discard()
    return text
  }
  const two = { wide: { vcpus: 2, memoryMb: 65_536 }, deep: { vcpus: 4, memoryMb: 8_192 } }

  test.each(['default', 'nova-compat'])('%s: a new group needs enough free resources for all members on one host', (profile) => {
    const text = causeIn(
      { a: { vcpus: 8, vcpusUsed: 1, memoryMb: 65_536 }, b: { vcpus: 64, vcpusUsed: 60, memoryMb: 65_536 } },
      { numInstances: 3, vcpus: 8, memoryMb: 64 },
      [],
      profile,
    )
    expect(text).toContain('24 vCPUs needed')
    expect(text).not.toMatch(/\b8 vCPUs needed/)
  })

  const disks = { numInstances: 3, flavor: { vcpus: 1, memoryMb: 64, rootGb: 40 } }
  const roomy = { vcpus: 64, memoryMb: 65_536, localGb: 100 }
  const aPool = (hosts: readonly string[], teller: string): Change[] => [
    { type: 'aggregate', uuid: aUuid(70), expectedVersion: 0, next: { name: 'pool', hosts, metadata: { 'gantt:disk_pool': aUuid(71) } } },
    aDocument(teller, 'storage', { pools: [{ uuid: aUuid(71), name: 'p', totalGib: 100, reservedGib: 20 }] }),
  ]

  test.each(['default', 'best-fit'])('%s: the disk pool of the hosts has too little space for all members', (profile) => {
    expect(causeIn({ a: roomy, b: roomy }, disks, aPool(['a', 'b'], 'a'), profile)).toBe(
      `Of 2 hosts none takes all 3 instances: 2 in a storage pool with too little space in total. ${TOGETHER} Nearest is a: The pool p has 80 GiB in total; 120 GiB were requested by the 3 instances together; 20 of its 100 GiB are reserved (by the storage document of a).`,
    )
  })

  test.each(['default', 'best-fit'])('%s: a disk pool of other hosts changes nothing for a host with its own disks', (profile) => {
    const others = { c: { ...roomy, vcpus: 0 } }
    const text = `Nearest is a: Disk: 120 GiB needed by the 3 instances together; the host has 100 GiB in total.`
    expect(causeIn({ a: roomy, ...others }, disks, [], profile)).toContain(text)
    expect(causeIn({ a: roomy, ...others }, disks, aPool(['c'], 'c'), profile)).toContain(text)
  })
  const cells = [0, 1].map((id) => ({ id, cpuset: [2 * id, 2 * id + 1], memoryMb: 4_096 }))
  const guest = { numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 3_072 }] }, flavor: { vcpus: 1, memoryMb: 3_072 } }

  test.each<[string, Record<string, HostShape>, Parameters<typeof aRequest>[0], string]>([
    [
      'CPUs: the host with the most CPUs is the nearest',
      two,
      { numInstances: 5, vcpus: 1, memoryMb: 64 },
      `Of 2 hosts none takes all 5 instances: 2 with too few vCPUs in total. ${TOGETHER} Nearest is deep: 5 vCPUs needed by the 5 instances together; the host has 4 in total.`,
    ],
    [
      'memory, including what the first members would take',
      { a: { vcpus: 64, memoryMb: 8_192 }, b: { vcpus: 64, memoryMb: 6_144 } },
      { numInstances: 3, vcpus: 1, memoryMb: 4_096 },
      `Of 2 hosts none takes all 3 instances: 2 with too little memory in total. ${TOGETHER} Nearest is a: Memory: 12288 MiB needed by the 3 instances together; the host has 8192 MiB in total.`,
    ],
    [
      'GPUs',
      { a: { vcpus: 64, memoryMb: 65_536, gpus: [{ index: 0 }, { index: 1 }] }, b: { vcpus: 64, memoryMb: 8_192, gpus: [{ index: 0 }] } },
      { numInstances: 3, vcpus: 1, memoryMb: 64, gpus: { count: 1 } },
      `Of the 2 hosts with GPUs none takes all 3 instances: 2 with too few GPUs in total. ${TOGETHER} Nearest is a: 3 GPUs needed; the host has 2 in total.`,
    ],
    [
      'all shortfalls of the nearest host',
      { 'h-1': { vcpus: 96, memoryMb: 65_536, localGb: 88 }, 'h-2': { vcpus: 32, memoryMb: 65_536, localGb: 88 } },
      { numInstances: 40, vcpus: 4, memoryMb: 8_192 },
      `Of 2 hosts none takes all 40 instances, some for several reasons: 2 with too few vCPUs in total, 2 with too little memory in total. ${TOGETHER} ` +
        'Nearest is h-1: 160 vCPUs needed by the 40 instances together; the host has 96 in total. Memory: 327680 MiB needed by the 40 instances together; the host has 65536 MiB in total.',
    ],
    [
      'a gang of two flavors',
      two,
      { numInstances: 2, flavor: { vcpus: 2, memoryMb: 64 }, gang: [{ instances: 1, flavor: { vcpus: 3, memoryMb: 64 } }] },
      `Of 2 hosts none takes all 2 instances: 2 with too few vCPUs in total. ${TOGETHER} Nearest is deep: 5 vCPUs needed by the 2 instances together; the host has 4 in total.`,
    ],
    [
      'cells, although the totals of the host are large enough',
      { a: { vcpus: 64, memoryMb: 65_536, numaCells: cells } },
      { numInstances: 3, ...guest },
      `The only host with NUMA cells does not take all 3 instances. ${TOGETHER} ` +
        'a: cell 0 of one more instance on cell 0 of the host: 3072 MiB needed, 1024 here.',
    ],
    [
      'only the hosts that the request admits',
      { ...two, large: { vcpus: 64, memoryMb: 262_144 } },
      { numInstances: 5, vcpus: 1, memoryMb: 64, ignoreHosts: ['large'] },
      `Of the 2 hosts other than large none takes all 5 instances: 2 with too few vCPUs in total. ${TOGETHER} Nearest is deep: 5 vCPUs needed by the 5 instances together; the host has 4 in total.`,
    ],
  ])('%s', (_name, shapes, asks, text) => {
    expect(causeIn(shapes, asks)).toBe(text)
  })

  test('the sentence about an over-full host states the sum of what all members need', () => {
    const bound = aClaim({ hosts: ['a'], grants: { classes: { VCPU: 4 } }, group: { ...group, maxServerPerHost: null } })
    const shape = (vcpusUsed: number) => ({ ...large, vcpus: 16, vcpusUsed })
    const log = aLog()
    log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('a', shape(0)), bound])
    log.append([aReport('a', shape(16), 2)])
    const asks = { numInstances: 3, vcpus: 1, memoryMb: 64, instanceGroup: { ...group, hosts: ['a'] } }
    expect(textOf(log.fleet, asks)).toContain('a: 3 vCPUs needed, 0 free; over-full by 4 vCPUs.')
  })

  test('the sentence about the needs of all members names the amount that an operator reserved', () => {
    const reserve: Change = {
      type: 'hostAllocation',
      host: 'a',
      node: 'a',
      resourceClass: 'MEMORY_MB',
      reserved: 65_000,
      by: 'kim',
      reason: 'tests',
    }
    const text = causeIn({ a: { vcpus: 16, memoryMb: 65_536 } }, { numInstances: 3, vcpus: 1, memoryMb: 512 }, [reserve])
    expect(text).toContain(
      'a: Memory: 1536 MiB needed by the 3 instances together; the host has 536 MiB in total; 65000 of its 65536 MiB are reserved (set by kim: tests).',
    )
  })

  test("the shortfall of a host's cells for all members is reported in addition to the shortfall of its totals", () => {
    const numaCells = [0, 1].map((id) => ({ id, cpuset: Array.from({ length: 8 }, (_, cpu) => 8 * id + cpu), memoryMb: 32_768 }))
    const six = { id: 0, cpus: [0, 1, 2, 3, 4, 5], memoryMb: 64, cpuPolicy: 'dedicated' as const }
    const asks = (numInstances: number) => ({ numInstances, flavor: { vcpus: 6, memoryMb: 64 }, numaTopology: { cells: [six] } })
    const host = (vcpus: number): HostShape => ({ vcpus, memoryMb: 65_536, numaCells })
    expect(causeIn({ a: host(16) }, asks(3))).toContain(
      'a: 18 vCPUs needed by the 3 instances together; the host has 16 in total. cell 0 of one more instance on cell 0 of the host: 6 CPUs needed, 2 here.',
    )
    expect(causeIn({ a: host(40) }, asks(3))).toContain('a: cell 0 of one more instance on cell 0 of the host: 6 CPUs needed, 2 here.')
    expect(causeIn({ a: host(40) }, asks(5))).toContain('a: cell 0 of 3 more instances on cell 0 of the host: 18 CPUs needed, 2 here.')
  })

  test('under compat: nova, a host with enough for all members is refused because the group was placed on another host', () => {
    const shapes = { h0: { ...large, memoryMb: 524_288, vcpus: 128 }, h1: { ...large, vcpus: 160 } }
    const text = causeIn(shapes, { numInstances: 20, vcpus: 8, memoryMb: 64 }, [], 'nova-compat')
    expect(text).toBe(
      `1 host does not take all 20 instances. 1 host has room for all 20 instances, but the first one is placed on h0. ${TOGETHER} ` +
        'Nearest is h0: 160 vCPUs needed by the 20 instances together; the host has 128 in total.',
    )
  })

  test('if a group has members, the cause is the shortfall of the host of these members', () => {
    const bound = aClaim({ hosts: ['wide'], grants: { classes: { VCPU: 1 } }, group: { ...group, maxServerPerHost: null } })
    const text = causeIn(two, { numInstances: 2, vcpus: 1, memoryMb: 64 }, [bound])
    expect(text).toBe(
      `The only host with the members of server group ${aUuid(9)} does not take all 2 instances. ${TOGETHER} wide: 2 vCPUs needed, 1 free.`,
    )
  })

  const large = { memoryMb: 262_144 }
  const busy = { h0: { ...large, vcpus: 128, vcpusUsed: 124 }, h1: { ...large, vcpus: 128, vcpusUsed: 40 } }
  test.each([
    [12, '2 with too few vCPUs left', '96 vCPUs needed, 88 free.'],
    [
      22,
      '2 with too few vCPUs in total',
      '176 vCPUs needed by the 22 instances together; the host has 128 in total. 176 vCPUs needed, 88 free.',
    ],
    [
      40,
      '2 with too few vCPUs in total',
      '320 vCPUs needed by the 40 instances together; the host has 128 in total. 320 vCPUs needed, 88 free.',
    ],
  ])('the host with the smallest shortfall for all %i members is the nearest, under every profile', (numInstances, counts, lacks) => {
    for (const profile of ['default', 'nova', 'nova-compat', 'best-fit'])
      expect([profile, causeIn(busy, { numInstances, vcpus: 8, memoryMb: 64 }, [], profile)]).toEqual([
        profile,
        `Of 2 hosts none takes all ${numInstances} instances: ${counts}. ${TOGETHER} Nearest is h1: ${lacks}`,
      ])
  })

  test('a host on which only some members fit does not exclude other hosts, and a host that is too small for one member is the farthest', () => {
    const shapes = Object.fromEntries([4, 4, 4, 4, 64, 32, 32].map((vcpus, i) => [`h${i}`, { ...large, vcpus }]))
    for (const profile of ['default', 'nova', 'nova-compat', 'best-fit'])
      expect([profile, causeIn(shapes, { numInstances: 40, vcpus: 8, memoryMb: 64 }, [], profile)]).toEqual([
        profile,
        `Of 7 hosts none takes all 40 instances: 7 with too few vCPUs in total. ${TOGETHER} ` +
          'Nearest is h4: 320 vCPUs needed by the 40 instances together; the host has 64 in total.',
      ])
  })

  test('the cause has the needs of all members even if the first member finds no host', () => {
    const text = causeIn({ a: { ...large, vcpus: 2 }, b: { ...large, vcpus: 3 } }, { numInstances: 3, vcpus: 4, memoryMb: 64 })
    expect(text).toBe(
      `Of 2 hosts none takes all 3 instances: 2 with too few vCPUs in total. ${TOGETHER} ` +
        'Nearest is b: 12 vCPUs needed by the 3 instances together; the host has 3 in total.',
    )
  })

  test('if a group has members, the GPUs of their host are compared with the needs of all members', () => {
    const gpus = [0, 1, 2].map((index) => ({ index, usedMilli: index === 0 ? 1_000 : 0 }))
    const home = aClaim({ hosts: ['a'], grants: { classes: { VCPU: 1 } }, group: { ...group, maxServerPerHost: null } })
    const asks = (numInstances: number) => ({ numInstances, vcpus: 1, memoryMb: 64, gpus: { count: 1 } })
    const shapes = { a: { ...large, vcpus: 64, gpus }, b: { ...large, vcpus: 64, gpus: [{ index: 0 }] } }
    expect(causeIn(shapes, asks(3), [home])).toContain(`${TOGETHER} a: 3 whole GPUs needed; the host has 2 free.`)
    expect(causeIn(shapes, asks(4), [home])).toContain(`${TOGETHER} a: 4 GPUs needed; the host has 3 in total. 4 GPUs needed, 2 free.`)
  })

  test('the free PCI devices of the nearest host are compared with the needs of all members', () => {
    const pools = (total: number) => ({ ...large, vcpus: 64, pciPools: [{ vendorId: '10de', productId: '1db4', total }] })
    const pciRequests = [{ count: 2, specs: [{ vendor_id: '10de' }] }]
    expect(causeIn({ a: pools(2), b: pools(5) }, { numInstances: 3, vcpus: 1, memoryMb: 64, pciRequests })).toContain(
      `2 with too few PCI devices of the requested kind left. ${TOGETHER} Nearest is b: PCI request 0 (vendor 10de): 6 devices needed, 5 free.`,
    )
  })

  test('a disabled host is not counted as having too few resources for all members at once', () => {
    const closed: Change = { type: 'status', host: 'b', node: 'b', status: 'DISABLED', reason: 'its fans' }
    const text = causeIn({ a: { ...large, vcpus: 2 }, b: { ...large, vcpus: 64 } }, { numInstances: 3, vcpus: 4, memoryMb: 64 }, [closed])
    expect(text).toContain('1 with too few vCPUs in total, 1 not enabled.')
    expect(text).not.toContain('at once')
  })
})
