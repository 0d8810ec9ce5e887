import { expect, test } from 'vitest'
import { openOverlay } from '../../fleet/overlay.ts'
import { builtInProfiles } from '../../profiles/built-in.ts'
import type { Profile } from '../../records/profile.ts'
import { decide } from '../../schedulers/decide.ts'
import { aLog, aReport, aRequest, type HostShape } from '../../testing/index.ts'
import { PREFERRED_NEAR } from '../../values/levels.ts'

const profile = builtInProfiles.find(({ name }) => name === 'default') as Profile
const cells = (...memory: readonly number[]) => memory.map((memoryMb, id) => ({ id, cpuset: [4 * id, 4 * id + 1], memoryMb }))
const pool = (numaNode: number | null, total: number, productId = '10ed') => ({ vendorId: '8086', productId, numaNode, total, tags: {} })
const device = (numaPolicy: 'preferred' | 'required' | 'legacy', productId = '10ed') => ({
  count: 1,
  numaPolicy,
  specs: [{ vendor_id: '8086', product_id: productId }],
})
const guest = (...pciRequests: ReturnType<typeof device>[]): Parameters<typeof aRequest>[0] => ({
  flavor: { vcpus: 1, memoryMb: 1_024 },
  numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 1_024 }] },
  pciRequests,
})

/** The id of the NUMA cell that the guest gets. Undefined if the host is refused. */
function cellOn(shape: HostShape, asks: Parameters<typeof aRequest>[0], level: number): number | undefined {
  const log = aLog()
  log.append([{ type: 'feature', level }, aReport('h', shape)])
  const overlay = openOverlay(log.fleet)
  const input = { id: 'd', request: aRequest(asks), profile, seed: 's', attempt: 1, alternatesPerInstance: 0, claimIds: ['c'] }
  const { parts } = decide(log.fleet, overlay, { ...input, allOrNothing: true })
  overlay.discard()
  return parts[0]?.grants.numa?.[0]?.cell
}

test.each<[string, HostShape, Parameters<typeof aRequest>[0], now: number | undefined, before: number | undefined]>([
  [
    'the cell of the device is chosen, although another cell comes first',
    { numaCells: cells(4_096, 4_096), pciPools: [pool(1, 1)] },
    guest(device('preferred')),
    1,
    0,
  ],
  [
    'another cell is chosen if the cell of the device is full',
    { numaCells: cells(4_096, 512), pciPools: [pool(1, 1)] },
    guest(device('preferred')),
    0,
    0,
  ],
  [
    'the first cell is chosen if the cell of the device is unknown',
    { numaCells: cells(4_096, 4_096), pciPools: [pool(null, 1)] },
    guest(device('preferred')),
    0,
    0,
  ],
  [
    'a required near device has precedence over a preferred near device',
    { numaCells: cells(4_096, 4_096), pciPools: [pool(0, 1), pool(1, 1, '154c')] },
    guest(device('required'), device('preferred', '154c')),
    0,
    0,
  ],
  [
    'a cell that has both devices is chosen',
    { numaCells: cells(4_096, 4_096), pciPools: [pool(0, 1), pool(1, 1), pool(1, 1, '154c')] },
    guest(device('required'), device('preferred', '154c')),
    1,
    0,
  ],
  [
    'a required near GPU has precedence over a preferred near device',
    { numaCells: cells(4_096, 4_096), pciPools: [pool(1, 1)], gpus: [{ index: 0, numaNode: 0 }] },
    { ...guest(device('preferred')), gpus: { count: 1, numaPolicy: 'required' } },
    0,
    undefined,
  ],
  ['the host is refused if it has no device', { numaCells: cells(4_096), pciPools: [] }, guest(device('preferred')), undefined, undefined],
])('B07 nomad 27177, devices preferred near the CPUs: %s', (_name, shape, asks, now, before) => {
  expect(cellOn(shape, asks, PREFERRED_NEAR)).toBe(now)
  if (before !== undefined) expect(cellOn(shape, asks, PREFERRED_NEAR - 1)).toBe(before)
})
