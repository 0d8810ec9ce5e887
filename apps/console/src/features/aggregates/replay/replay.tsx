import { Text } from '@mantine/core'
import { useMemo } from 'react'
import { formatCount, formatTime, titleOfTime, useTimeZone } from '../../../lib/format.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { useRun } from '../../../lib/service/use-run.ts'
import { AnchorLink } from '../../../ui/anchor-link.tsx'
import { Figures } from '../../../ui/chart/figures.tsx'
import { Cancelled, Running } from '../../../ui/dialog/running.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { SmallTable } from '../../../ui/table/small-table.tsx'
import { REPLAY } from '../documents.ts'
import type { UpdateInput } from '../edit/draft.ts'
import { Refusal } from '../impact.tsx'
import { leftOutText } from './replay-text.ts'
import { Room } from './room.tsx'

type Payload = Extract<ResultOf<typeof REPLAY>['aggregateUpdate'], { readonly __typename: 'AggregatePayload' }>
type Replayed = NonNullable<Payload['replay']>

interface ReplayProps {
  readonly uuid: string
  readonly ifVersion: number
  readonly input: UpdateInput
}

/** The effect of an edit on the last requests, which are decided again on the present fleet without and with the edit. */
export function Replay({ uuid, ifVersion, input }: ReplayProps) {
  const text = JSON.stringify(input)
  const variables = useMemo(() => ({ uuid, ifVersion, input: JSON.parse(text) as UpdateInput }), [uuid, ifVersion, text])
  const { data, error, isRunning, isCancelled, cancel, run } = useRun(REPLAY, variables)
  const end = data?.aggregateUpdate
  return (
    <section aria-label="Effect on recent requests">
      <Text component="h3" fw={600} size="sm">
        Effect on recent requests
      </Text>
      {error ? <Problem error={error} onRetry={run} /> : null}
      {isRunning ? <Running label="Recent requests are being decided again." onCancel={cancel} /> : null}
      {isCancelled ? <Cancelled label="The replay was cancelled" onRun={run} /> : null}
      {end === undefined || isRunning ? null : end.__typename !== 'AggregatePayload' ? (
        <Refusal message={end.message} />
      ) : end.replay === null ? null : (
        <Outcome replay={end.replay} />
      )}
    </section>
  )
}

function Outcome({ replay }: { readonly replay: Replayed }) {
  const { drawn, sampled, newFailures, newPlacements, elsewhere, asOf } = replay
  if (drawn === 0)
    return (
      <Text size="sm" c="dimmed" role="status" data-replayed={0}>
        No requests in the retained history.
      </Text>
    )
  const rest = leftOutText(replay)
  return (
    <div data-replayed={sampled}>
      <Text size="sm" role="status">
        {newFailures === 0
          ? 'No recent request would newly fail.'
          : `${formatCount(newFailures)} recent ${newFailures === 1 ? 'request' : 'requests'} would newly fail.`}
      </Text>
      <Figures
        figures={[
          { label: 'decided again', value: `${formatCount(sampled)} of ${formatCount(drawn)}` },
          { label: 'newly failing', value: formatCount(newFailures), isBad: newFailures > 0 },
          { label: 'newly placed', value: formatCount(newPlacements) },
          { label: 'go elsewhere', value: formatCount(elsewhere) },
        ]}
      />
      <Text size="xs" c="dimmed">
        The most recent requests, each decided separately on the fleet of revision {asOf}, with and without the change.
        {rest === '' ? '' : ` ${rest}`}
      </Text>
      <Otherwise replay={replay} />
      <Room room={replay.room} />
    </div>
  )
}

const kindWords: Readonly<Record<Replayed['otherwise'][number]['kind'], string>> = {
  NEW_FAILURE: 'newly fails',
  NEW_PLACEMENT: 'is newly placed',
  ELSEWHERE: 'goes elsewhere',
}

function Otherwise({ replay: { otherwise, newFailures, newPlacements, elsewhere } }: { readonly replay: Replayed }) {
  const zone = useTimeZone()
  const all = newFailures + newPlacements + elsewhere
  if (all === 0) return null
  return (
    <>
      <SmallTable
        label="Requests whose outcome the change would alter"
        maxHeight="280px"
        rows={otherwise}
        rowKey={({ decision }) => decision.id}
        rowAttributes={({ kind }) => ({ 'data-otherwise': kind })}
        columns={[
          {
            head: 'Request',
            cell: ({ decision }) => (
              <AnchorLink size="sm" lh="24px" to="/decisions/$id" params={{ id: decision.id }}>
                {decision.spec.flavorName ?? 'request'}, {formatTime(decision.at, zone)}
              </AnchorLink>
            ),
            title: ({ decision }) => titleOfTime(decision.at),
          },
          { head: 'Result', cell: ({ kind }) => (kind === 'NEW_FAILURE' ? <b>{kindWords[kind]}</b> : kindWords[kind]) },
          { head: 'From', cell: ({ hostsBefore }) => hostsBefore.join(', ') || 'no host' },
          { head: 'To', cell: ({ hostsAfter }) => hostsAfter.join(', ') || 'no host' },
          { head: 'Reason', cell: ({ because }) => because },
        ]}
      />
      {otherwise.length < all ? (
        <Text size="xs" c="dimmed">
          The first {formatCount(otherwise.length)} of {formatCount(all)}.
        </Text>
      ) : null}
    </>
  )
}
