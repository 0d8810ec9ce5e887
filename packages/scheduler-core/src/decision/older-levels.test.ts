import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { examine } from '../examine/examine.ts'
import { verdictMatrix } from '../examine/verdict-matrix.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { aLog, aReport, aRequest, aUuid, type HostShape } from '../testing/index.ts'
import { matrixTexts } from './receipt.ts'

const cell = { id: 0, cpuset: [0, 1, 2, 3], memoryMb: 8_192 }
const hosts: Readonly<Record<string, HostShape>> = {
  small: { vcpus: 2, memoryMb: 2_048, localGb: 20 },
  full: { vcpus: 8, vcpusUsed: 8, memoryMb: 16_384, memoryMbUsed: 16_000 },
  traits: { vcpus: 8, memoryMb: 32_768, traits: ['CUSTOM_FAST'], gpus: [{ index: 0 }] },
  cells: { vcpus: 8, memoryMb: 16_384, numaCells: [cell, { ...cell, id: 1, cpuset: [4, 5, 6, 7] }] },
  ratios: { vcpus: 4, memoryMb: 4_096, cpuAllocationRatio: 4, ramAllocationRatio: 2 },
  closed: { vcpus: 64, memoryMb: 262_144 },
  images: { supportedInstances: [{ arch: 'x86_64', hvType: 'kvm', vmMode: 'hvm' }] },
}
const group = { uuid: aUuid(9), policy: 'SOFT_ANTI_AFFINITY' as const }
const requests = [
  aRequest(),
  aRequest({ memoryMb: 8_192, vcpus: 6 }),
  aRequest({ memoryMb: 1_000_000 }),
  aRequest({ availabilityZone: 'z1' }),
  aRequest({ availabilityZone: 'z9', vcpus: 9 }),
  aRequest({ forceHosts: ['small'], requestedDestination: { host: 'traits' } }),
  aRequest({ ignoreHosts: ['small'], requestedDestination: { aggregates: [aUuid(1)] } }),
  aRequest({ flavor: { vcpus: 1, memoryMb: 64, extraSpecs: { 'trait:CUSTOM_FAST': 'required', ssd: 'yes' } } }),
  aRequest({ gpus: { count: 1 } }),
  aRequest({ image: { id: 'i', architecture: 'amd64' } }),
  aRequest({ instanceGroup: group, topologySpread: [{ topologyKey: 'host', maxSkew: 1 }] }),
  aRequest({ vcpus: 2, memoryMb: 1_024, numaTopology: { cells: [{ id: 0, cpus: [0, 1], memoryMb: 1_024, cpuPolicy: 'dedicated' }] } }),
]

function townAt(level: number): Fleet {
  const log = aLog()
  log.append([{ type: 'feature', level }, ...Object.entries(hosts).map(([name, shape]) => aReport(name, shape))])
  log.append([
    {
      type: 'aggregate',
      uuid: aUuid(1),
      expectedVersion: 0,
      next: { name: 'a1', metadata: { availability_zone: 'z1', ssd: 'yes' }, hosts: ['small', 'full', 'traits'] },
    },
    { type: 'status', host: 'closed', node: 'closed', status: 'DISABLED', reason: 'fan' },
  ])
  return log.fleet
}

/** Hashes the verdict of every filter on every host, for five built-in profiles and each request of this test. */
function digestAt(level: number): string {
  const fleet = townAt(level)
  const hash = createHash('sha256')
  for (const name of ['default', 'nova', 'nova-compat', 'first-fit', 'best-fit'])
    for (const [i, request] of requests.entries()) {
      const profile = fleet.profiles.find(name)
      if (profile === undefined) throw new Error(`expected a profile named ${name}`)
      const examination = examine(fleet, request, profile, 'seed')
      const names = fleet.hosts.records.map(({ host, node }) => ({ host, node }))
      const matrix = verdictMatrix(examination, examination)
      for (const text of matrixTexts(`${name} ${i}`, 0, { names, matrix, totals: [] })) hash.update(text)
    }
  return hash.digest('hex')
}

// Receipts of old decisions are verified by the rules of the feature level at the time of the decision, so these verdicts must not change.
test.each([
  [7, '56ee3fc9f5d33ebd8f5e31038c99983b45d0e144f2ac754906dcc0b16e79ff0b'],
  [8, '041abbb3f285d35b2238c0793c74b2d0d8060ae36826698dbf75c12513b4b50e'],
  [9, '041abbb3f285d35b2238c0793c74b2d0d8060ae36826698dbf75c12513b4b50e'],
])('at feature level %i every filter gives every host the same verdict as when the level was released', (level, digest) => {
  expect(digestAt(level)).toBe(digest)
})
