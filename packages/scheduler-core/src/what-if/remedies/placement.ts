import type { Aggregate } from '../../fleet/aggregates.ts'
import { TENANT_KEY } from '../../nova/placement-filters.ts'
import { demandOf } from '../../request/request-spec.ts'
import { restated } from '../../request/restated.ts'
import type { FleetEdits } from '../edits.ts'
import type { ProposedChange, Remedy } from './remedy.ts'
import { asked } from './wishes.ts'

/** What Placement keeps for some requests, with `compat: nova`: by the cell, by aggregates of projects, by traits of aggregates. */
export const placementRemedy: Remedy = {
  name: 'placement',
  codes: ['cell.other', 'aggregate.tenant', 'aggregate.trait'],
  propose({ fleet, request, host, reason }) {
    const record = fleet.hosts.get(host)
    switch (reason.code) {
      case 'cell.other':
        return [asked("Nova's cell", String(reason.need ?? ''), 'any', 3, (one) => restated(one, {}))]
      case 'aggregate.tenant': {
        const own = [...fleet.aggregates.byUuid.values()].find(({ metadata }) =>
          Object.entries(metadata).some(([key, value]) => key.startsWith(TENANT_KEY) && value === request.projectId),
        )
        if (own === undefined) return []
        return [changed(`aggregates of ${record.host}`, `joins ${own.name}`, own, { addHosts: [record.host] })]
      }
      default: {
        const trait = String(reason.need ?? '')
        // a trait that is forbidden is not required beside
        if (demandOf(request).forbiddenTraits.includes(trait)) return []
        // the aggregate stays kept for such requests
        return [
          asked(`extra spec trait:${trait}`, null, 'required', 3, (one) =>
            restated(one, { flavor: { ...one.flavor, extraSpecs: { ...one.flavor.extraSpecs, [`trait:${trait}`]: 'required' } } }),
          ),
        ]
      }
    }
  },
}

const changed = (
  subject: string,
  to: string,
  { uuid }: Aggregate,
  change: Partial<NonNullable<FleetEdits['aggregateChanges']>[number]>,
): ProposedChange => ({
  kind: 'FLEET',
  subject,
  from: null,
  to,
  effort: 4,
  lastResort: true,
  edits: { aggregateChanges: [{ aggregate: uuid, addHosts: [], removeHosts: [], setMetadata: {}, unsetMetadata: [], ...change }] },
})
