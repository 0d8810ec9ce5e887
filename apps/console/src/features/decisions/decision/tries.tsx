import { withTerm } from '@gantt/scheduler-core/query'
import { formatCount, formatTime, titleOfTime, useTimeZone } from '../../../lib/format.ts'
import { AnchorLink } from '../../../ui/anchor-link.tsx'
import type { Decision } from '../decision-header.tsx'
import { type Try, triesOf, unrecordedOf } from './tries.ts'

/** All attempts to place the request of a decision, oldest first, with their hosts and results. */
export function Tries({ decision }: { readonly decision: Decision }) {
  const tries = triesOf(decision)
  const unrecorded = unrecordedOf(decision)
  if (tries.length === 1 && unrecorded === 0) return null
  const [instance] = decision.instanceUuids
  const isLonger = decision.previous?.previous?.previous?.previous != null
  return (
    <nav aria-label="Attempts">
      <ol className="tries" data-tries={tries.length}>
        {isLonger && instance !== undefined ? (
          <li>
            <AnchorLink size="sm" to="/decisions" search={{ q: withTerm('', 'instance', instance) }}>
              earlier attempts
            </AnchorLink>
          </li>
        ) : null}
        {tries.map((one) => (
          <Step key={one.number} step={one} />
        ))}
      </ol>
      {unrecorded > 0 ? (
        <p className="plain dimmed" data-unrecorded={unrecorded}>
          {formatCount(unrecorded)} more {unrecorded === 1 ? 'attempt' : 'attempts'} of this decision left nothing in the log, because
          another replica wrote first.
        </p>
      ) : null}
    </nav>
  )
}

function Step({ step: { number, decision, at, hosts, text, isLost } }: { readonly step: Try }) {
  const zone = useTimeZone()
  const name = `attempt ${number}`
  return (
    <li
      data-try={number}
      data-lost={isLost || undefined}
      aria-current={decision === null && !isLost ? true : undefined}
      title={titleOfTime(at)}
    >
      {decision === null ? (
        <b>{name}</b>
      ) : (
        <AnchorLink size="sm" to="/decisions/$id" params={{ id: decision }} aria-label={`${name}, at ${formatTime(at, zone)}`}>
          {name}
        </AnchorLink>
      )}{' '}
      {hosts.length === 0 ? null : isLost ? <s>{hosts.join(', ')}</s> : hosts.join(', ')} <span className="dimmed">{text}</span>
    </li>
  )
}
