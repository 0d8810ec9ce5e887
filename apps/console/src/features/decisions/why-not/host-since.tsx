import { Text } from '@mantine/core'
import { formatTime, titleOfTime, useTimeZone } from '../../../lib/format.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import type { WHY_NOT } from '../documents.ts'

type Answer = ResultOf<typeof WHY_NOT>['whyNot']

/** Why a host was not considered, what refuses it now, and what changed on it since the decision. */
export function HostSince({ answer: { neverConsidered, nowRefusedBy, changedSince, changedSinceNote } }: { readonly answer: Answer }) {
  const zone = useTimeZone()
  return (
    <>
      {neverConsidered === null ? null : (
        <Text size="sm" data-never={neverConsidered.kind}>
          {neverConsidered.text}
          {neverConsidered.firstSeenAt === null ? null : (
            <span title={titleOfTime(neverConsidered.firstSeenAt)}>
              {' '}
              First seen {formatTime(neverConsidered.firstSeenAt, zone)}
              {neverConsidered.firstSeenRevision === null ? '' : `, revision ${neverConsidered.firstSeenRevision}`}.
            </span>
          )}
        </Text>
      )}
      {nowRefusedBy.length === 0 ? null : (
        <Text size="sm" data-now-refused={nowRefusedBy.length}>
          Now: {nowRefusedBy.map(({ filter, text }) => (text === null ? filter : `${filter}: ${text}`)).join('; ')}
        </Text>
      )}
      {changedSince.length === 0 ? null : (
        <details open={changedSince.length <= MAX_EXPANDED} data-changed={changedSince.length}>
          <summary>
            {changedSince.length} {changedSince.length === 1 ? 'field has' : 'fields have'} changed since
          </summary>
          <ul className="plain">
            {changedSince.map(({ field, before, after, source }) => (
              <li key={field}>
                <Text size="sm" component="span">
                  <span className="mono">{field}</span>: {before ?? 'none'} → {after ?? 'none'}
                  <span className="dimmed"> (from {[source.kind, source.ref].filter(Boolean).join(' ')})</span>
                </Text>
              </li>
            ))}
          </ul>
        </details>
      )}
      {changedSinceNote === null ? null : (
        <Text size="xs" c="dimmed">
          {changedSinceNote}
        </Text>
      )}
    </>
  )
}

/** The list of changed fields is open at first if it has at most this many fields. */
const MAX_EXPANDED = 5
