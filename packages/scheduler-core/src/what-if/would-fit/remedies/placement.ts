import { builtIn } from '../../../contracts/built-in.ts'
import { restated } from '../../../contracts/restated.ts'
import type { Aggregate } from '../../../fleet/aggregates.ts'
import { demandOf } from '../../../request/request-spec.ts'
import { TENANT_KEY } from '../../../values/aggregate-keys.ts'
import type { FleetEdits } from '../../edits.ts'
import type { ProposedChange, Remedy } from './remedy.ts'
import { asked } from './wishes.ts'

/** For refusals by Placement's rules, which apply with `compat: nova`: the Nova cell, aggregates for projects, and traits of aggregates. */
export const placementRemedy: Remedy = {
  name: 'placement',
  codes: ['cell.other', 'aggregate.tenant', 'aggregate.trait'],
  propose({ fleet, request, host, reason }) {
    const record = fleet.hosts.get(host)
    switch (reason.code) {
      case 'cell.other':
        return [asked("Nova's cell", String(reason.need ?? ''), 'any', 3, (one) => builtIn().documents.withoutCell(one))]
      case 'aggregate.tenant': {
        const own = [...fleet.aggregates.byUuid.values()].find(({ metadata }) =>
          Object.entries(metadata).some(([key, value]) => key.startsWith(TENANT_KEY) && value === request.projectId),
        )
        if (own === undefined) return []
        return [changed(`aggregates of ${record.host}`, `joins ${own.name}`, own, { addHosts: [record.host] })]
      }
      default: {
        const trait = String(reason.need ?? '')
        // requiring the trait is not proposed if the request forbids it
        if (demandOf(request).forbiddenTraits.includes(trait)) return []
        // proposes to require the trait, and not to open the aggregate, which is reserved for requests that require the trait
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
