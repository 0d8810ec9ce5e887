import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { sharedData } from '../../../../../testing/shared-folder.ts'
import { imagePropertiesFrom } from '../text/image-properties.ts'
import { NovaError } from '../text/nova-error.ts'
import { checkHost } from './check-host.ts'
import { supportPciRequests } from './pci.ts'
import { readPciPools, readPciRequests } from './read-pci.ts'
import { readGuestTopology, readHostTopology, readNetworkMetadata } from './read-topology.ts'
import { fitGuest } from './search/fit-guest.ts'
import type { GuestTopology, NumaLimits } from './topology.ts'
import { guestTopologyFor } from './wishes/guest-topology.ts'

/** Results that were recorded from Nova's own scheduler. */
const recorded = sharedData('conformance/cases')

interface Envelope {
  readonly 'nova_object.data': Readonly<Record<string, unknown>>
}

interface FilterCase {
  readonly id: string
  readonly host: { readonly compute_node: Envelope }
  readonly spec: Envelope
  readonly config: Readonly<Record<string, unknown>>
  readonly expected: boolean | string
  readonly expected_limits?: Envelope
}

interface ConstraintRow {
  readonly kind: string
  readonly id: string
  readonly vcpus: number
  readonly memory_mb: number
  readonly extra_specs: Readonly<Record<string, string>>
  readonly image_properties: Readonly<Record<string, string>>
  readonly expected: unknown
}

function readLines<Row>(file: string): readonly Row[] {
  const text = gunzipSync(readFileSync(path.join(recorded.path, file))).toString('utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)
}

/** Nova skips PciPassthroughFilter and NUMATopologyFilter for a rebuild. */
function isRebuild(spec: FilterCase['spec']): boolean {
  const hints = spec['nova_object.data'].scheduler_hints as Readonly<Record<string, unknown>> | null | undefined
  return JSON.stringify(hints?._nova_check_type) === '["rebuild"]'
}

function orError<Answer>(run: () => Answer): Answer | string {
  try {
    return run()
  } catch (error) {
    if (error instanceof NovaError) return error.kind
    throw error
  }
}

/** The verdict and the limits of NUMATopologyFilter, computed by the functions under test as Nova's filter does. */
function numaVerdict({ host, spec, config }: FilterCase): { expected: boolean; limits?: NumaLimits } {
  if (isRebuild(spec)) return { expected: true }
  const node = host.compute_node['nova_object.data']
  const request = spec['nova_object.data']
  const image = request.image as Envelope | null
  const flavor = (request.flavor as Envelope)['nova_object.data']
  const topology = readHostTopology(node.numa_topology)
  const guest = readGuestTopology(request.numa_topology)
  const check = checkHost({
    host: topology,
    guest,
    extraSpecs: flavor.extra_specs as Record<string, string>,
    imageProperties: image && ((image['nova_object.data'].properties as Envelope)['nova_object.data'] as Record<string, string>),
  })
  if (check.answer !== 'fit' || topology === null || guest === null) return { expected: check.answer !== 'refuse' }
  const limits = {
    cpuAllocationRatio: node.cpu_allocation_ratio as number,
    ramAllocationRatio: node.ram_allocation_ratio as number,
    networkMetadata: readNetworkMetadata(request.network_metadata),
  }
  const pci = { pools: readPciPools(node.pci_device_pools), requests: readPciRequests(request.pci_requests) }
  const packing = config['compute.packing_host_numa_cells_allocation_strategy'] === true
  const results = (['nova', 'pairs'] as const).map((search) => fitGuest(topology, guest, { limits, pci, packing, search }))
  for (const result of results)
    if (!result.ok)
      expect(result.why()).toMatchObject({
        code: expect.stringMatching(/^(numa|pci)[.]/),
        need: expect.anything(),
        have: expect.anything(),
      })
  return results[0]?.ok ? { expected: true, limits } : { expected: false }
}

function topologyRow(topology: GuestTopology | null): unknown {
  if (topology === null) return null
  return {
    emulator_threads_policy: topology.emulatorThreadsPolicy,
    cells: topology.cells.map((cell) => ({
      id: cell.id,
      cpuset: cell.cpuset,
      pcpuset: cell.pcpuset,
      memory: cell.memory,
      pagesize: cell.pagesize,
      cpu_policy: cell.cpuPolicy,
      cpu_thread_policy: cell.cpuThreadPolicy,
    })),
  }
}

describe.skipIf(recorded.isMissing)(`cases recorded from Nova${recorded.skipNote}`, () => {
  test('supportPciRequests gives the recorded verdict in every case of PciPassthroughFilter', () => {
    const cases = readLines<FilterCase>('filters/PciPassthroughFilter.jsonl.gz')
    const answers = cases.map(({ id, host, spec }) => {
      const pools = readPciPools(host.compute_node['nova_object.data'].pci_device_pools)
      const requests = readPciRequests(spec['nova_object.data'].pci_requests)
      return { id, expected: isRebuild(spec) || supportPciRequests(pools, requests) === undefined }
    })
    expect(answers).toEqual(cases.map(({ id, expected }) => ({ id, expected })))
  })

  test('checkHost and fitGuest give the recorded verdict in every case of NUMATopologyFilter', () => {
    const cases = readLines<FilterCase>('filters/NUMATopologyFilter.jsonl.gz')
    const answers = cases.map((row) => {
      const verdict = orError(() => numaVerdict(row))
      if (typeof verdict === 'string') return { id: row.id, expected: verdict }
      const { cpuAllocationRatio, ramAllocationRatio, networkMetadata } = verdict.limits ?? {}
      return {
        id: row.id,
        expected: verdict.expected,
        cpu: cpuAllocationRatio,
        ram: ramAllocationRatio,
        networks: networkMetadata !== undefined,
      }
    })
    expect(answers).toEqual(
      cases.map(({ id, expected, expected_limits }) => {
        if (typeof expected === 'string') return { id, expected }
        const limits = expected_limits?.['nova_object.data']
        return {
          id,
          expected,
          cpu: limits?.cpu_allocation_ratio,
          ram: limits?.ram_allocation_ratio,
          networks: limits?.network_metadata !== undefined,
        }
      }),
    )
  })

  test('guestTopologyFor gives the recorded guest topology for every flavor and image', () => {
    const rows = readLines<ConstraintRow>('extras.jsonl.gz').filter((row) => row.kind === 'numa_constraints')
    expect(rows.length).toBeGreaterThan(0)
    const answers = rows.map((row) => {
      const flavor = { vcpus: row.vcpus, memoryMib: row.memory_mb, extraSpecs: row.extra_specs }
      const answer = orError(() => topologyRow(guestTopologyFor(flavor, imagePropertiesFrom(row.image_properties))))
      return { ...row, expected: typeof answer === 'string' ? { error: answer } : answer }
    })
    expect(answers).toEqual(rows)
  })
})
