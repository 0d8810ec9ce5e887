import { withTerm } from '@gantt/scheduler-core/query'
import { Badge, Text, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatCount, formatGib, formatMib, formatTime, formatTook, titleOfTime, useTimeZone } from '../../lib/format.ts'
import type { ResultOf } from '../../lib/service/graphql.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import type { DECISION } from './documents.ts'
import { Outcome } from './outcome.tsx'

export type Decision = NonNullable<ResultOf<typeof DECISION>['decision']>

/** A short name of the request, such as `m1.large × 3`. */
export const titleOf = ({ spec: { flavorName, numInstances, vcpus, memoryMb } }: Decision): string =>
  `${flavorName ?? `${vcpus} vCPU, ${formatMib(memoryMb)}`}${numInstances > 1 ? ` × ${numInstances}` : ''}`

const fidelities: Readonly<Record<string, string>> = {
  RECORDED: 'As recorded when it was decided.',
  REPLAYED: 'Replayed from its record, bit for bit, on the state of its revision.',
  APPROXIMATE: 'Replayed with other code or on another state than the original.',
}

interface HeaderProps {
  readonly decision: Decision
  /** How exactly the replay reproduces the decision. Undefined until the decision is replayed. */
  readonly fidelity: string | undefined
}

/**
 * The facts of a decision. A fact that other decisions can share, such as the flavor, links to the list of all decisions with this fact.
 */
export function DecisionHeader({ decision, fidelity }: HeaderProps) {
  const zone = useTimeZone()
  const { outcome, at, attempt, durationMs, account, fleetRevision, profile, spec, instanceUuids, requestIds, replica } = decision
  const { vcpus, memoryMb, diskGb, availabilityZone, projectId, flavorName } = spec
  const [instance] = instanceUuids
  const profileName = profile === null ? undefined : `${profile.profileName}@${profile.number}`
  return (
    <div className="fact-line">
      <Outcome outcome={outcome} />
      <Fact name="requested">
        {vcpus} vCPU, <span title={`${formatCount(memoryMb)} MiB`}>{formatMib(memoryMb)}</span>,{' '}
        {diskGb === 0 ? 'no disk' : <span title={`${formatCount(diskGb)} GiB`}>{formatGib(diskGb)} disk</span>}
      </Fact>
      {flavorName === null ? null : <Like name="flavor" value={flavorName} />}
      {availabilityZone === null ? null : <Like name="zone" value={availabilityZone} />}
      {projectId === null ? null : <Like name="project" value={projectId} />}
      <Like name="account" value={account} />
      {requestIds.map((request) => (
        <Fact key={request} name="request">
          <AnchorLink
            className="fact-link mono"
            size="sm"
            to="/audit"
            search={{ q: withTerm('', 'request', request) }}
            title="Audit rows of this request"
          >
            {request}
          </AnchorLink>
        </Fact>
      ))}
      <Fact name="decided">
        <span title={titleOfTime(at)}>{formatTime(at, zone)}</span>
      </Fact>
      {attempt > 1 && instance !== undefined ? (
        <Like name="instance" value={instance} says={`attempt ${attempt}`} />
      ) : (
        <Fact name="attempt">{attempt}</Fact>
      )}
      {durationMs === null ? null : (
        <Fact name="took">
          <span title="Time that the replica took to decide, without waiting">{formatTook(durationMs)}</span>
        </Fact>
      )}
      {replica === null ? null : (
        <Fact name="replica">
          <AnchorLink className="fact-link" size="sm" to="/replicas" title="The replica that decided, as recorded in the log">
            {replica}
          </AnchorLink>
        </Fact>
      )}
      {profileName === undefined ? <Fact name="profile">not known to this service</Fact> : <Like name="profile" value={profileName} />}
      <Fact name="revision">
        <AnchorLink
          className="fact-link"
          size="sm"
          to="/hosts"
          search={{ at: fleetRevision }}
          title="The fleet as it was for this decision"
          aria-label={`The fleet at revision ${fleetRevision}, as it was for this decision`}
        >
          {fleetRevision}
        </AnchorLink>
      </Fact>
      {fidelity === undefined ? null : (
        <Tooltip label={fidelities[fidelity] ?? fidelity}>
          <Badge variant="outline" color={fidelity === 'APPROXIMATE' ? 'yellow' : 'gray'} tabIndex={0} tt="none" data-fidelity={fidelity}>
            {fidelity.toLowerCase()}
          </Badge>
        </Tooltip>
      )}
    </div>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <Text size="sm" component="span">
      <span className="dimmed">{name}</span> {children}
    </Text>
  )
}

/** A fact that other decisions can share, as a link to the list of these decisions. */
function Like({ name, value, says }: { readonly name: string; readonly value: string; readonly says?: string }) {
  return (
    <Text size="sm" component="span">
      {says === undefined ? <span className="dimmed">{name} </span> : null}
      <AnchorLink
        className="fact-link"
        size="sm"
        to="/decisions"
        search={{ q: withTerm('', name, value) }}
        aria-label={`All decisions with ${name} ${value}`}
        title={`All decisions with ${name} ${value}`}
      >
        {says ?? value}
      </AnchorLink>
    </Text>
  )
}
