import { currentSpec, type Fleet, OWN_AFFINITY, ownThingsOf, type RequestSpec } from '@gantt/scheduler-core'
import type { ClaimRef } from '../claim/claims.ts'
import type { Decisions } from '../decision/decisions.ts'

/**
 * If a move names no volumes, adds the volumes of the original placement, because the instance keeps them. They are added only if the fleet
 * has reports with the locations of volumes. Ports are added in the same way.
 */
export async function withThingsOfClaim(
  decisions: Pick<Decisions, 'stored'>,
  { featureLevel, hosts, ledger }: Fleet,
  request: RequestSpec,
  { id }: ClaimRef,
): Promise<RequestSpec> {
  const claim = ledger.claims.get(id)
  const given = ownThingsOf(request)
  const asks = {
    volumes: given.volumes.length === 0 && hosts.hasDocuments('storage'),
    ports: given.ports.length === 0 && hosts.hasDocuments('network'),
  }
  if (featureLevel < OWN_AFFINITY || claim === undefined || !request.nearVolumesAndPorts || !(asks.volumes || asks.ports)) return request
  const stored = await decisions.stored(claim.decision)
  if (stored === undefined) return request
  const { volumes, ports } = ownThingsOf(currentSpec(stored.record.request))
  if ((asks.volumes ? volumes : []).length + (asks.ports ? ports : []).length === 0) return request
  return { ...request, ...(asks.volumes && { volumes: [...volumes] }), ...(asks.ports && { ports: [...ports] }) }
}
