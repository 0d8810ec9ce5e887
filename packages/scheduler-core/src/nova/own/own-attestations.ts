import { z } from 'zod'
import type { Fleet } from '../../fleet/fleet.ts'
import type { HostRecord } from '../../hosts/hosts.ts'
import { unsentOf } from '../../namespace/unsent.ts'
import type { Attestation, AttestationSource } from '../parts/nova-filter.ts'

/** The namespace in which an attestation service reports documents about hosts. A document is `{ level, at }`, with `at` as an ISO time. */
export const ATTESTATION = 'attestation'

const document = z.object({ level: z.string(), at: z.iso.datetime({ offset: true }) })

/** The attestations of all nodes in a fleet, read on first use. A document that cannot be read is ignored. */
export function attestationsOf(fleet: Fleet): AttestationSource {
  let attestations: ReadonlyMap<string, Attestation> | undefined
  let records: ReadonlyMap<string, HostRecord> | undefined
  const read = (): ReadonlyMap<string, Attestation> => {
    const found = new Map<string, Attestation>()
    for (const { node, namespaces } of fleet.hosts.present) {
      const parsed = document.safeParse(namespaces.get(ATTESTATION)?.document)
      if (parsed.success) found.set(node, { level: parsed.data.level, at: Date.parse(parsed.data.at) })
    }
    return found
  }
  return {
    attestationOf(node) {
      attestations ??= read()
      return attestations.get(node)
    },
    unsentOf(node) {
      records ??= new Map(fleet.hosts.present.map((record) => [record.node, record]))
      const record = records.get(node)
      return record && unsentOf(fleet, record, ATTESTATION)?.reason
    },
  }
}
