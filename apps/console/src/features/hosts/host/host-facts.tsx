import { withTerm } from '@gantt/scheduler-core/query'
import { Link } from '@tanstack/react-router'
import { formatCount } from '../../../lib/format.ts'
import { Age } from '../../../ui/age.tsx'
import { Fact, Facts } from '../../../ui/facts.tsx'
import { HostState } from '../host-state.tsx'
import type { HostDetail } from '../host-usage.tsx'

/** The host's aggregates and zone, its state and status, and the time of its last report. */
export function HostFacts({ host }: { readonly host: HostDetail }) {
  const { lastReportAt, lastSequence, aggregates, told: reported, formerNames, gone } = host
  return (
    <Facts>
      <Fact term="Status">
        {gone === null ? <HostState state={host.state} status={host.status} /> : 'forgotten'}
        {gone !== null || host.statusReason === null ? null : <span>: {host.statusReason}</span>}
      </Fact>
      <Fact term="Zone">{host.availabilityZone}</Fact>
      <Fact term="Aggregates">
        {aggregates.nodes.length === 0 ? 'none' : null}
        {aggregates.nodes.map(({ uuid, name }, i) => (
          <span key={uuid}>
            {i === 0 ? '' : ', '}
            <Link className="host-link" to="/aggregates/$uuid" params={{ uuid }}>
              {name}
            </Link>
          </span>
        ))}
        {aggregates.totalCount > aggregates.nodes.length ? ` and ${formatCount(aggregates.totalCount - aggregates.nodes.length)} more` : ''}
      </Fact>
      <Fact term="Last report">
        {lastReportAt === null ? 'never' : <Age atMs={Date.parse(lastReportAt)} ago />}
        {lastSequence === null ? '' : `, report sequence ${lastSequence}`}
      </Fact>
      {host.usedFrom === 'REPORT' ? null : <Fact term="Used amounts">from claims: {host.usedFromReason}</Fact>}
      {formerNames.length === 0 ? null : <Fact term="Former names">{formerNames.join(', ')}</Fact>}
      <Fact term="Instances">{formatCount(host.runningVms)}</Fact>
      {reported.length === 0 ? null : (
        <Fact term="Machine">
          {reported.map(({ field, label, value }, i) => (
            <span key={field} title={label}>
              {i === 0 ? '' : ', '}
              <Link
                className="host-link"
                to="/hosts"
                search={{ q: withTerm('', field, value) }}
                aria-label={`${label} ${value}: similar hosts`}
              >
                {value}
              </Link>
            </span>
          ))}
        </Fact>
      )}
    </Facts>
  )
}
