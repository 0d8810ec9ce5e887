import { currentSpec, type Fleet, OWN_AFFINITY, ownThingsOf, type RequestSpec } from '@gantt/scheduler-core'
import type { ClaimRef } from './claims.ts'
import type { Decisions } from './decisions.ts'

/**
 * A move with the volumes and ports that the instance was placed with, where it names none: it goes on to have them. They are asked for only
 * where documents may say where they are.
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
    volumes: given.volumes.length === 0 && hosts.isToldOf('storage'),
    ports: given.ports.length === 0 && hosts.isToldOf('network'),
  }
  if (featureLevel < OWN_AFFINITY || claim === undefined || !request.nearVolumesAndPorts || !(asks.volumes || asks.ports)) return request
  const stored = await decisions.stored(claim.decision)
  if (stored === undefined) return request
  const { volumes, ports } = ownThingsOf(currentSpec(stored.record.request))
  if ((asks.volumes ? volumes : []).length + (asks.ports ? ports : []).length === 0) return request
  return { ...request, ...(asks.volumes && { volumes: [...volumes] }), ...(asks.ports && { ports: [...ports] }) }
}
