import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../../testing/extent.ts'
import { causeOf } from '../../cause/cause.ts'
import { causeText } from '../../cause/cause-text.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { builtInProfiles } from '../../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import type { Profile } from '../../records/profile.ts'
import { decide } from '../../schedulers/decide.ts'
import { aLog, aReport, aRequest, type HostShape } from '../../testing/index.ts'

const profileNamed = (name: string) => builtInProfiles.find((profile) => profile.name === name) as Profile
const cells = (...memory: readonly number[]) =>
  memory.map((memoryMb, id) => ({ id, cpuset: [0, 1, 2, 3].map((cpu) => 4 * id + cpu), memoryMb }))
const gpus = (...nodes: readonly (number | null)[]) => nodes.map((numaNode, index) => ({ index, numaNode }))
const guest = (
  count: number,
  numaPolicy: 'required' | 'preferred' | null,
  guests = 1,
  more: object = {},
): Parameters<typeof aRequest>[0] => ({
  flavor: { vcpus: guests, memoryMb: 1_024 * guests },
  numaTopology: { cells: Array.from({ length: guests }, (_, id) => ({ id, cpus: [id], memoryMb: 1_024 })) },
  gpus: { count, numaPolicy, ...more },
})

/** The host, NUMA cells and GPUs of each placed instance, and the cause of the refusal if instances are left. */
function placed(hosts: readonly HostShape[], asks: Parameters<typeof aRequest>[0], profile = 'default') {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...hosts.map((shape, i) => aReport(`h${i}`, shape))])
  const request = aRequest(asks)
  const claimIds = Array.from({ length: request.numInstances }, (_, i) => `n${i}`)
  const input = { id: 'd', request, profile: profileNamed(profile), seed: 's', attempt: 1, alternatesPerInstance: 0, claimIds }
  const overlay = openOverlay(log.fleet)
  const { parts, found } = decide(log.fleet, overlay, { ...input, allOrNothing: false })
  const cause = found === request.numInstances ? undefined : causeText(causeOf(log.fleet, request, input.profile, found))
  overlay.discard()
  const on = parts.map(({ host, grants }) => `${host} ${grants.numa?.map(({ cell }) => cell)} ${grants.gpu?.map(({ index }) => index)}`)
  return { on, cause }
}

describe('B07b, nomad PR 27177: GPUs and CPUs of one NUMA cell', () => {
  test.each<[string, readonly HostShape[], Parameters<typeof aRequest>[0], ReturnType<typeof placed>]>([
    [
      'required: the cell of the GPU is chosen',
      [{ numaCells: cells(8_192, 8_192), gpus: gpus(1) }],
      guest(1, 'required'),
      { on: ['h0 1 0'], cause: undefined },
    ],
    [
      'required: the GPU of the cell with enough free memory is chosen',
      [{ numaCells: cells(512, 8_192), gpus: gpus(0, 1) }],
      guest(1, 'required'),
      { on: ['h0 1 1'], cause: undefined },
    ],
    [
      'required: the host is refused if the cell of the GPUs is full',
      [{ numaCells: cells(512, 8_192), gpus: gpus(0) }],
      guest(1, 'required'),
      {
        on: [],
        cause:
          "The only host with NUMA cells and with GPUs does not take it. h0: 1 GPU needed near the guest's NUMA cells, 0 free there; elsewhere 1 at cell 0.",
      },
    ],
    [
      'required: GPUs without a known cell are not near to any cell',
      [{ numaCells: cells(8_192), gpus: gpus(null, null) }],
      guest(1, 'required'),
      {
        on: [],
        cause:
          "The only host with NUMA cells and with GPUs does not take it. h0: 1 GPU needed near the guest's NUMA cells, 0 free there; elsewhere 2 at no known cell.",
      },
    ],
    [
      'required: two GPUs are chosen on the host that has both in one cell',
      [
        { memoryMb: 262_144, numaCells: cells(8_192, 8_192), gpus: gpus(0, 1) },
        { numaCells: cells(8_192, 8_192), gpus: gpus(null, 1, 1) },
      ],
      guest(2, 'required'),
      { on: ['h1 1 1,2'], cause: undefined },
    ],
    [
      'required: a guest of two cells gets GPUs of both cells',
      [{ numaCells: cells(8_192, 8_192), gpus: gpus(0, 1) }],
      guest(2, 'required', 2),
      { on: ['h0 0,1 0,1'], cause: undefined },
    ],
    [
      'preferred: the cell of the GPU is taken, although another cell comes first',
      [{ numaCells: cells(8_192, 8_192), gpus: gpus(1) }],
      guest(1, 'preferred'),
      { on: ['h0 1 0'], cause: undefined },
    ],
    [
      'preferred: another cell is taken if the cell of the GPU is full',
      [{ numaCells: cells(8_192, 512), gpus: gpus(1) }],
      guest(1, 'preferred'),
      { on: ['h0 0 0'], cause: undefined },
    ],
    [
      'preferred: the nearer one of two GPUs is taken',
      [{ numaCells: cells(512, 8_192), gpus: gpus(0, 1) }],
      guest(1, 'preferred'),
      { on: ['h0 1 1'], cause: undefined },
    ],
    [
      'without a policy the first cell and the first GPU are taken',
      [{ numaCells: cells(8_192, 8_192), gpus: gpus(1, 0) }],
      guest(1, null),
      { on: ['h0 0 0'], cause: undefined },
    ],
    [
      'required: several instances are each near their own GPU',
      [{ numaCells: cells(8_192, 8_192), gpus: gpus(0, 1) }],
      { ...guest(1, 'required'), numInstances: 3 },
      {
        on: ['h0 0 0', 'h0 1 1'],
        cause:
          "Only 2 of the 3 instances would find a host. The only host with NUMA cells and with GPUs does not take one more. Even with nothing else on it, this host could take at most 2 of the 3 instances. h0: 1 GPU needed near the guest's NUMA cells, 0 free there. 1 whole GPU needed; the host has 0 free.",
      },
    ],
    [
      'required: two instances share the GPU that is near a cell',
      [{ numaCells: cells(8_192, 8_192), gpus: gpus(null, 1) }],
      { ...guest(1, 'required', 1, { shareMilli: 500 }), numInstances: 2 },
      { on: ['h0 1 1', 'h0 1 1'], cause: undefined },
    ],
    [
      'required: the GPU is in the cell of a required PCI device, not in the first cell with a GPU',
      [{ numaCells: cells(8_192, 8_192), gpus: gpus(0, 1), pciPools: [{ vendorId: '8086', productId: '10ed', numaNode: 1, total: 1 }] }],
      { ...guest(1, 'required'), pciRequests: [{ count: 1, specs: [{ vendor_id: '8086' }], numaPolicy: 'required' }] },
      { on: ['h0 1 1'], cause: undefined },
    ],
  ])('%s', (_name, hosts, asks, expected) => {
    for (const profile of ['default', 'first-fit', 'gpu-packing'])
      expect([profile, placed(hosts, asks, profile)]).toEqual([profile, expected])
  })

  test('the profile nova-compat also chooses the NUMA cell that is near the GPU', () => {
    expect(placed([{ numaCells: cells(8_192, 8_192), gpus: gpus(1) }], guest(1, 'required'), 'nova-compat').on).toEqual(['h0 1 0'])
  })

  test('law: the policy required needs a cell with room and enough GPUs, and both policies choose such a cell if there is one', () => {
    const drawn = fc.record({
      memory: fc.array(fc.constantFrom(512, 2_048), { minLength: 1, maxLength: 4 }),
      nodes: fc.array(fc.constantFrom(null, 0, 1, 2, 3), { maxLength: 6 }),
      count: fc.integer({ min: 1, max: 3 }),
      policy: fc.constantFrom('required' as const, 'preferred' as const),
      profile: fc.constantFrom('default', 'best-fit', 'fgd'),
    })
    fc.assert(
      fc.property(drawn, ({ memory, nodes, count, policy, profile }) => {
        const { on } = placed([{ numaCells: cells(...memory), gpus: gpus(...nodes) }], guest(count, policy), profile)
        const nearIn = (cell: number) => nodes.filter((node) => node === cell).length
        const able = memory.flatMap((mib, cell) => (mib >= 1_024 ? [cell] : []))
        const good = able.filter((cell) => nearIn(cell) >= count)
        const isPlaced = policy === 'required' ? good.length > 0 : able.length > 0 && nodes.length >= count
        expect(on.length).toBe(isPlaced ? 1 : 0)
        const [, cell, taken = ''] = on[0]?.split(' ') ?? []
        if (good.length > 0) expect(taken.split(',').map((index) => nodes[Number(index)])).toEqual(new Array(count).fill(Number(cell)))
      }),
      { numRuns: byExtent(60, 200) },
    )
  })
})
