import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataOf, type Json, startTestService, type TestService } from '../../testing/test-service.ts'
import { casesOn, SELECT } from './testing/field-cases.ts'

// These tests repeat situations from public bug reports that this service handles correctly. Each title begins with our label for the
// report and the public number of the report.

let api: TestService
beforeAll(async () => {
  api = await startTestService()
})
afterAll(() => api.close())

const { flavor, select, hostsOf, claimOf, outcomeOf, zone, release, setStatus, placed, move } = casesOn(() => api)

describe('requests of public bug reports', () => {
  const guestCell = (id: number, cpus: readonly number[], memoryMb: number, rest: Json = {}): Json => ({ id, cpus, memoryMb, ...rest })
  const hostCell = (id: number, cpuset: readonly number[], memoryMb: number, rest: Json = {}): Json => ({ id, cpuset, memoryMb, ...rest })
  const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i)

  test('A06 LP 1825020: for an instance that boots from a volume, the root disk is not claimed, and the ephemeral disk is claimed', async () => {
    const az = await zone('a06', { 'a06-1': { localGb: 0, localGbUsed: 0 } })
    const claim = await placed({ ...az, isBfv: true, flavor: { ...flavor, rootGb: 40 } })
    const resized = await move(claim, 'RESIZE', { ...az, isBfv: true, flavor: { ...flavor, rootGb: 10 } })
    expect(hostsOf(resized)).toEqual(['a06-1'])
    const ephemeral = { ...az, isBfv: true, flavor: { ...flavor, rootGb: 10, ephemeralGb: 1 } }
    expect(await select(ephemeral)).toMatchObject({ __typename: 'NoValidHost' })
  })

  test('A08 LP 1995153: after a guest with NUMA cells was placed, another guest finds a device near its socket', async () => {
    const numaCells = [hostCell(0, range(0, 4), 8_192, { socket: 0 }), hostCell(1, range(4, 4), 8_192, { socket: 0 })]
    const pciPools = [{ vendorId: '8086', productId: '10ed', numaNode: 0, total: 4 }]
    const az = await zone('a08', { 'a08-1': { vcpus: 8, memoryMb: 16_384, numaCells, pciPools } })
    const guest = {
      ...az,
      flavor: { vcpus: 4, memoryMb: 1_024 },
      numaTopology: { cells: [guestCell(0, range(0, 4), 1_024, { cpuPolicy: 'dedicated' })] },
      pciRequests: [
        {
          count: 1,
          numaPolicy: 'socket',
          specs: [
            {
              properties: [
                { key: 'vendor_id', value: '8086' },
                { key: 'product_id', value: '10ed' },
              ],
            },
          ],
        },
      ],
    }
    await placed(guest)
    expect(hostsOf(await select(guest))).toEqual(['a08-1'])
  })

  test('A11 LP 1839560: a bare-metal host with a custom class gets no instance during maintenance, and gets instances afterwards', async () => {
    const whole = { vcpus: 0, memoryMb: 0, localGb: 0, inventories: [{ resourceClass: 'CUSTOM_BAREMETAL', total: 1, maxUnit: 1 }] }
    const az = await zone('a11', { 'a11-1': whole, 'a11-2': whole })
    const machine = {
      ...az,
      flavor: {
        vcpus: 8,
        memoryMb: 1_024,
        extraSpecs: [
          { key: 'resources:CUSTOM_BAREMETAL', value: '1' },
          { key: 'resources:VCPU', value: '0' },
          { key: 'resources:MEMORY_MB', value: '0' },
        ],
      },
    }
    await setStatus('a11-1', 'MAINTENANCE')
    expect(hostsOf(await select(machine))).toEqual(['a11-2'])
    expect(await select(machine)).toMatchObject({ __typename: 'NoValidHost' })
    await setStatus('a11-1', 'ENABLED')
    expect(hostsOf(await select(machine))).toEqual(['a11-1'])
  })

  test('B01 harvester 8182: a cell that has free CPUs and no free memory is not used', async () => {
    const numaCells = [hostCell(0, range(0, 4), 0), hostCell(1, range(4, 4), 16_384)]
    const az = await zone('b01', { 'b01-1': { vcpus: 8, memoryMb: 16_384, numaCells } })
    const guest = { ...az, flavor: { vcpus: 2, memoryMb: 1_024 }, numaTopology: { cells: [guestCell(0, [0, 1], 1_024)] } }
    const answer = await select(guest)
    expect(answer.destinations[0].selected.claim.cells.map(({ cell }: Json) => cell)).toEqual([1])
  })

  test('B04 OpenNebula 7071: after a large request with NUMA cells, a small request is placed on another host', async () => {
    const numaCells = [hostCell(0, range(0, 4), 8_192)]
    const shape = { vcpus: 4, memoryMb: 8_192, numaCells }
    const az = await zone('b04', { 'b04-1': shape, 'b04-2': shape })
    const guest = (count: number) => ({
      ...az,
      flavor: { vcpus: count, memoryMb: 1_024 },
      numaTopology: { cells: [guestCell(0, range(0, count), 1_024, { cpuPolicy: 'dedicated' })] },
    })
    const [large] = hostsOf(await select(guest(4))) ?? []
    const [small] = hostsOf(await select(guest(1))) ?? []
    expect([large, small].toSorted()).toEqual(['b04-1', 'b04-2'])
  })

  test.each([
    ['a page size that the host does not have is refused', { pageSize: 1_048_576 }, 1_024],
    ['a page size of which the host has no pages is refused', { pageSize: 2_048 }, 1_024],
    ['memory of 1 MiB in pages of 4 KiB is accepted', { pageSize: 4 }, 1],
  ])('B05 oVirt ovirt-engine 500: %s', async (what, page, memoryMb) => {
    const name = `b05-${memoryMb}-${page.pageSize}`
    const pages = [
      { sizeKib: 4, total: 2_097_152 },
      { sizeKib: 2_048, total: 0 },
    ]
    const az = await zone(name, { [`${name}-1`]: { vcpus: 4, memoryMb: 8_192, numaCells: [hostCell(0, range(0, 4), 8_192, { pages })] } })
    const answer = await select({
      ...az,
      flavor: { vcpus: 1, memoryMb },
      numaTopology: { cells: [guestCell(0, [0], memoryMb, page)] },
    })
    if (what.startsWith('memory')) expect(hostsOf(answer)).toEqual([`${name}-1`])
    else expect(answer).toMatchObject({ __typename: 'NoValidHost', message: expect.stringMatching(/page/) })
  })

  test.each([
    ['required', false],
    ['preferred', true],
  ])('B07 nomad 27177: if the cell near a device is full, a guest with numaPolicy %s is placed: %s', async (numaPolicy, isPlaced) => {
    const name = `b07-${numaPolicy}`
    const numaCells = [hostCell(0, range(0, 4), 8_192), hostCell(1, range(4, 4), 8_192)]
    const pciPools = [{ vendorId: '8086', productId: '10ed', numaNode: 1, total: 1 }]
    const az = await zone(name, { [`${name}-1`]: { vcpus: 8, memoryMb: 16_384, numaCells, pciPools } })
    const guest = {
      ...az,
      flavor: { vcpus: 4, memoryMb: 1_024 },
      numaTopology: { cells: [guestCell(0, range(0, 4), 1_024, { cpuPolicy: 'dedicated' })] },
    }
    const device = {
      count: 1,
      numaPolicy,
      specs: [
        {
          properties: [
            { key: 'vendor_id', value: '8086' },
            { key: 'product_id', value: '10ed' },
          ],
        },
      ],
    }
    const near = { ...guest, pciRequests: [device] }
    const first = await select(near)
    expect(first.destinations[0].selected.claim.cells.map(({ cell }: Json) => cell)).toEqual([1])
    await release(claimOf(first))
    // the host reports that all CPUs of the cell near the device are in use
    await setPinned(`${name}-1`, numaCells, pciPools)
    expect(hostsOf(await select(near)) !== undefined).toBe(isPlaced)
  })

  /** Reports a host on which all CPUs of the second NUMA cell are in use. */
  const setPinned = (host: string, [first, second]: Json[], pciPools: Json): Promise<void> =>
    api.report({
      [host]: { vcpus: 8, memoryMb: 16_384, numaCells: [first, { ...second, pinnedCpus: second.cpuset }], pciPools },
    })

  const uneven = [
    { cpus: [0], memoryMb: 3_072 },
    { cpus: [1, 2], memoryMb: 1_024 },
    { cpus: [3, 4, 5], memoryMb: 2_048 },
  ]
  const orders = [
    [0, 1, 2],
    [2, 0, 1],
    [1, 2, 0],
  ]
  test.each(orders.flatMap((order) => ['default', 'best-fit', 'nova-compat'].map((profile) => ({ order, profile }))))(
    'B11 Nova permutations of cells: three cells of different sizes that fit in only one way are placed, in the order $order, by $profile',
    async ({ order, profile }) => {
      const name = `b11-${order.join('')}-${profile}`
      const numaCells = [hostCell(0, range(0, 1), 3_072), hostCell(1, range(1, 2), 1_024), hostCell(2, range(3, 3), 2_048)]
      const az = await zone(name, { [`${name}-1`]: { vcpus: 6, memoryMb: 6_144, numaCells } })
      let next = 0
      const cells = order.map((from, id) => {
        const { cpus, memoryMb } = uneven[from] as (typeof uneven)[number]
        const at = next
        next += cpus.length
        return guestCell(id, range(at, cpus.length), memoryMb, { cpuPolicy: 'dedicated' })
      })
      const answer = await select({ ...az, flavor: { vcpus: 6, memoryMb: 6_144 }, numaTopology: { cells } }, { profile })
      expect(outcomeOf(answer)).toEqual([`${name}-1`])
      expect(answer.destinations[0].selected.claim.cells.map(({ cell }: Json) => cell)).toEqual(order)
    },
  )

  test('B21 LP 2098496: no more devices are allocated than are free, whether a pool shrinks or is split', async () => {
    const pool = { vendorId: '8086', productId: '10ed', numaNode: 0 }
    const az = await zone('b21', { 'b21-1': { pciPools: [{ ...pool, total: 4 }] } })
    const specs = [
      {
        properties: [
          { key: 'vendor_id', value: '8086' },
          { key: 'product_id', value: '10ed' },
        ],
      },
    ]
    const asks = (count: number) => ({ ...az, pciRequests: [{ count, specs }] })
    await placed(asks(2))
    await api.report({ 'b21-1': { pciPools: [{ ...pool, total: 3 }] } })
    expect(await select(asks(2))).toMatchObject({ __typename: 'NoValidHost' })
    await api.report({
      'b21-1': {
        pciPools: [
          { ...pool, total: 2 },
          { ...pool, numaNode: 1, total: 1 },
        ],
      },
    })
    expect(await select(asks(2))).toMatchObject({ __typename: 'NoValidHost' })
    expect(hostsOf(await select(asks(1)))).toEqual(['b21-1'])
  })

  test('E02 volcano 3373: if two gangs arrive at once and resources are free for one, one is placed completely and the other not at all', async () => {
    const az = await zone('e02', { 'e02-1': { vcpus: 4 }, 'e02-2': { vcpus: 4 } })
    for (let round = 0; round < 4; round++) {
      const gang = { ...az, numInstances: 4, flavor: { vcpus: 2, memoryMb: 64 } }
      const answers = await Promise.all([select(gang), select(gang)])
      expect(answers.map((answer) => hostsOf(answer)?.length ?? 0).toSorted()).toEqual([0, 4])
      for (const { selected } of answers.flatMap(({ destinations }) => destinations ?? []))
        await release({ id: selected.claim.id, fence: selected.claim.fence })
    }
  })

  test('E04b KAI 306: a host with a free GPU and not enough memory is refused for memory', async () => {
    const az = await zone('e04b', { 'e04b-1': { memoryMb: 1_024, gpus: [{ index: 0 }] } })
    const answer = await select({ ...az, gpus: { count: 1 }, flavor: { vcpus: 1, memoryMb: 2_048 } })
    expect(answer).toMatchObject({ __typename: 'NoValidHost', message: expect.stringMatching(/MiB/) })
  })

  test('F01a ProxLB 340: a request for six CPUs on an overcommitted host with four CPUs is refused', async () => {
    const az = await zone('f01a', { 'f01a-1': { vcpus: 4, cpuAllocationRatio: 8 } })
    expect(outcomeOf(await select({ ...az, flavor: { vcpus: 6, memoryMb: 64 } }))).toContain('cpu.too_few')
  })

  test('F01c CloudStack 9303: without overcommit, a host with 32 CPUs gets instances with 32 CPUs in total', async () => {
    const az = await zone('f01c', { 'f01c-1': { vcpus: 32 } })
    expect(hostsOf(await select({ ...az, numInstances: 32, flavor: { vcpus: 1, memoryMb: 1 } }))).toHaveLength(32)
    expect(await select(az)).toMatchObject({ __typename: 'NoValidHost' })
  })

  test.each(['inf', 'nan', '1e308', '-1e308'])(
    'N01 nomad 5698, 8863: with a multiplier of %s, every score is a finite number',
    async (text) => {
      const name = `n01-${text}`
      const metrics = [{ name: 'load', value: 1e308, timestamp: '2026-01-01T00:00:00Z', source: 'test' }]
      const hosts = { [`${name}-1`]: {}, [`${name}-2`]: { vcpusUsed: 8, metrics } }
      await zone(name, hosts, [{ key: 'cpu_weight_multiplier', value: text }])
      const answer = await dataOf(
        api,
        `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { ... on SelectDestinationsPayload { destinations { selected { weight } alternates { weight } } } } }`,
        { in: { idempotencyKey: randomUUID(), profile: 'nova-compat', spec: { gantt: { availabilityZone: name, flavor } } } },
      )
      const [{ selected, alternates }] = answer.selectDestinations.destinations
      for (const { weight } of [selected, ...alternates]) expect(Number.isFinite(weight)).toBe(true)
    },
  )

  test('Z08: a refusal because of a missing zone or host names the missing object', async () => {
    const az = await zone('z08', { 'z08-1': {} })
    expect(hostsOf(await select(az))).toEqual(['z08-1'])
    expect((await select({ availabilityZone: 'z08-gone' })).message).toContain('z08-gone')
    expect((await select({ ...az, requestedDestination: { host: 'z08-none' } })).message).toContain('z08-none')
  })

  test.each([
    ['ünïcödé-Σ', true],
    ['а08-cyrillic', true],
    ['x'.repeat(255), true],
    ['x'.repeat(256), false],
    ['tab\there', false],
    ['bidi\u202Eoverride', false],
  ])('Z13 placement unicode.yaml: the host name %j is stored unchanged, or refused', async (host, isKept) => {
    const reported = await api.report({ [host]: {} }).then(
      () => true,
      () => false,
    )
    expect(reported).toBe(isKept)
    if (isKept) expect((await dataOf(api, 'query ($h: String!) { host(name: $h) { name } }', { h: host })).host.name).toBe(host)
  })

  describe('Z16: several calls with one idempotency key', () => {
    const gantt = { flavor }
    const under = (key: string, spec: Json, input: Json = {}): Promise<Json> => select(spec, { idempotencyKey: key, ...input })

    test('Z16: a call with a used key and another request, intent, profile or TTL is a conflict, and an equal call gets the same answer', async () => {
      const az = await zone('z16', { 'z16-1': {} })
      const key = randomUUID()
      const first = await under(key, { ...az, ...gantt })
      expect(await under(key, { ...az, ...gantt })).toMatchObject({ replayed: true, decision: first.decision })
      for (const [spec, input] of [
        [{ ...az, flavor: { ...flavor, vcpus: 2 } }, {}],
        [{ ...az, ...gantt }, { intent: 'UNSHELVE' }],
        [{ ...az, ...gantt }, { profile: 'best-fit' }],
        [{ ...az, ...gantt }, { claim: { mode: 'RESERVE', ttl: 'PT5M' } }],
      ])
        expect(await under(key, spec, input)).toMatchObject({ __typename: 'IdempotencyConflict' })
      await release(claimOf(first))
      expect(await under(key, { ...az, ...gantt })).toMatchObject({ replayed: true, decision: first.decision })
    })

    test('Z16: five simultaneous calls with one key create one claim', async () => {
      const az = await zone('z16b', { 'z16b-1': {} })
      const key = randomUUID()
      const answers = await Promise.all(Array.from({ length: 5 }, () => under(key, { ...az, ...gantt })))
      expect(new Set(answers.map((answer) => claimOf(answer).id)).size).toBe(1)
    })
  })

  test('Z03c: a host that shrinks below its usage gets no new instances, can release instances, and gets new ones after it has grown', async () => {
    const az = await zone('z03c', { 'z03c-1': { vcpus: 8 } })
    const claim = await placed({ ...az, flavor: { vcpus: 6, memoryMb: 64 } })
    await api.report({ 'z03c-1': { vcpus: 4 } })
    expect(await select(az)).toMatchObject({ __typename: 'NoValidHost' })
    await api.report({ 'z03c-1': { vcpus: 8, cpuAllocationRatio: 0.5 } })
    expect(await select(az)).toMatchObject({ __typename: 'NoValidHost' })
    await release(claim)
    await api.report({ 'z03c-1': { vcpus: 8 } })
    expect(hostsOf(await select(az))).toEqual(['z03c-1'])
  })

  test('H01 cortex multicluster sample: unknown fields next to the RequestSpec are refused by name', async () => {
    const spec = {
      nova: {
        spec: { 'nova_object.name': 'RequestSpec', 'nova_object.version': '1.0', 'nova_object.namespace': 'nova', 'nova_object.data': {} },
        context: {},
        hosts: [],
        weights: {},
      },
    }
    const answer = (await dataOf(api, SELECT, { in: { idempotencyKey: randomUUID(), spec } })).selectDestinations
    expect(answer).toMatchObject({ __typename: 'ValidationError' })
    expect(answer.issues.map(({ path }: Json) => path)).toEqual(
      ['context', 'hosts', 'weights'].map((key) => ['input', 'spec', 'nova', key]),
    )
  })
})
