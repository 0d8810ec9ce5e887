import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { supportPciRequests } from './pci.ts'
import { readPciPools, readPciRequests } from './read-pci.ts'

// verdicts recorded from the real scheduler lie beside the checkout, or nowhere
const folder = path.resolve(import.meta.dirname, '../../../../../../shared/conformance/cases')
const here = existsSync(folder)
const reason = here ? '' : ' [skipped: the recorded cases are not beside the checkout]'

interface Envelope {
  readonly 'nova_object.data': Readonly<Record<string, unknown>>
}

interface FilterCase {
  readonly id: string
  readonly host: { readonly compute_node: Envelope }
  readonly spec: Envelope
  readonly expected: boolean | string
}

function readLines<Row>(file: string): readonly Row[] {
  if (!here) return []
  const text = gunzipSync(readFileSync(path.join(folder, file))).toString('utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)
}

/** A rebuild runs neither of these filters. */
function isRebuild(spec: FilterCase['spec']): boolean {
  const hints = spec['nova_object.data'].scheduler_hints as Readonly<Record<string, unknown>> | null | undefined
  return JSON.stringify(hints?._nova_check_type) === '["rebuild"]'
}

describe.skipIf(!here)(`cases recorded from Nova${reason}`, () => {
  test('every case of PciPassthroughFilter', () => {
    const cases = readLines<FilterCase>('filters/PciPassthroughFilter.jsonl.gz')
    const answers = cases.map(({ id, host, spec }) => {
      const pools = readPciPools(host.compute_node['nova_object.data'].pci_device_pools)
      const requests = readPciRequests(spec['nova_object.data'].pci_requests)
      return { id, expected: isRebuild(spec) || supportPciRequests(pools, requests) === undefined }
    })
    expect(answers).toEqual(cases.map(({ id, expected }) => ({ id, expected })))
  })
})
