import { Badge, Text } from '@mantine/core'
import { formatCount, formatShare, formatTime, useTimeZone } from '../../../lib/format.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { Figures } from '../../../ui/chart/figures.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { SmallTable } from '../../../ui/table/small-table.tsx'
import { DecisionLink, kindWord } from '../disagreement.tsx'
import type { CHECK } from '../documents.ts'
import { ZoneShift } from './zone-shift.tsx'

type Comparison = ResultOf<typeof CHECK>['compareProfiles']

interface EvaluatedProps {
  readonly comparison: Comparison
  /** The numbers of the two versions. */
  readonly baseline: number
  readonly candidate: number
}

/** How many requests have different results with the baseline and the candidate, and each of these requests. */
export function Evaluated({ comparison, baseline, candidate }: EvaluatedProps) {
  const zone = useTimeZone()
  const { since, until, total, sampled, agreement, elsewhere, newFailures, newPlacements, text } = comparison
  const range = `${formatTime(since, zone)} to ${formatTime(until, zone)}`
  if (sampled === 0)
    return (
      <div data-evaluated={0}>
        <Empty title={total === 0 ? 'No requests in this period' : 'No request could be decided again'}>
          {text} ({range})
        </Empty>
      </div>
    )
  return (
    <div data-evaluated={sampled}>
      <Text mt="xs" role="status">
        {newFailures === 0 ? 'No request would newly fail.' : `${counted(newFailures)} would newly fail.`}
      </Text>
      <Text size="xs" c="dimmed">
        {text} {range}.
      </Text>
      <Figures
        figures={[
          { label: 'decided again', value: `${formatCount(sampled)} of ${formatCount(total)}` },
          { label: 'same outcome', value: agreement === null ? '–' : formatShare(agreement) },
          { label: 'newly failing', value: formatCount(newFailures), isBad: newFailures > 0 },
          { label: 'newly placed', value: formatCount(newPlacements) },
          { label: 'go elsewhere', value: formatCount(elsewhere) },
          ...costOf(comparison),
        ]}
      />
      <Disagreements comparison={comparison} />
      <ShadowFilters comparison={comparison} />
      <ZoneShift zones={comparison.zones} baseline={baseline} candidate={candidate} />
      <Text size="xs" c="dimmed" mt="xs">
        Each request is decided separately, on the state at its time: effects of a different placement on later requests are not simulated.
      </Text>
    </div>
  )
}

const counted = (requests: number): string => `${formatCount(requests)} ${requests === 1 ? 'request' : 'requests'}`

/** How the times of decisions by the two versions compare. Empty if too few decisions were made for a comparison. */
function costOf({ cpuRatio, p99DeltaMs }: Comparison) {
  if (cpuRatio === null || p99DeltaMs === null) return []
  const title = `The 99th percentile is ${Math.abs(p99DeltaMs).toFixed(2)} ms ${p99DeltaMs < 0 ? 'lower' : 'higher'}, on this replica.`
  return [{ label: 'time to decide', value: `× ${cpuRatio.toFixed(2)}`, title }]
}

function Disagreements({ comparison: { disagreements, elsewhere, newFailures, newPlacements } }: { readonly comparison: Comparison }) {
  const all = elsewhere + newFailures + newPlacements
  if (all === 0) return <Text size="sm">Every request goes to the same host with both versions.</Text>
  return (
    <>
      <Text component="h3" fw={600} size="sm">
        {counted(all)} {all === 1 ? 'has' : 'have'} different outcomes with the two versions
        {disagreements.length < all ? `; the first ${formatCount(disagreements.length)}` : ''}
      </Text>
      <SmallTable
        label="Requests with different outcomes with the two versions"
        maxHeight="360px"
        rows={disagreements}
        rowKey={({ decision }) => decision.id}
        rowAttributes={({ kind }) => ({ 'data-disagreement': kind })}
        columns={[
          { head: 'Decision', className: 'profile-link', cell: ({ decision }) => <DecisionLink decision={decision} /> },
          {
            head: 'Result',
            className: 'narrow',
            cell: ({ kind }) => (kind === 'NEW_FAILURE' ? <b>{kindWord(kind)}</b> : kindWord(kind)),
          },
          {
            head: 'From',
            className: 'profile-hosts',
            cell: ({ baselineHosts }) => <Hosts hosts={baselineHosts} />,
            title: ({ baselineHosts }) => baselineHosts.join(', '),
          },
          {
            head: 'To',
            className: 'profile-hosts',
            cell: ({ candidateHosts }) => <Hosts hosts={candidateHosts} />,
            title: ({ candidateHosts }) => candidateHosts.join(', '),
          },
          { head: 'Reason', className: 'profile-because', cell: ({ because }) => because },
        ]}
      />
    </>
  )
}

/** For each filter in shadow mode, how many requests would have failed or been placed elsewhere if this filter alone were enforced. */
function ShadowFilters({ comparison: { shadowFilters } }: { readonly comparison: Comparison }) {
  if (shadowFilters.length === 0) return null
  return (
    <>
      <Text component="h3" fw={600} size="sm" mt="xs">
        Filters of this version in shadow mode, and the effect if each were enforced
      </Text>
      <SmallTable
        label="Filters in shadow mode"
        maxHeight="280px"
        rows={shadowFilters}
        rowKey={({ filter }) => filter}
        rowAttributes={({ filter, wouldFail, wouldMove }) => ({
          'data-shadow-count': filter,
          'data-would-fail': wouldFail,
          'data-would-move': wouldMove,
        })}
        columns={[
          {
            head: 'Filter',
            className: 'narrow',
            cell: ({ filter }) => (
              <>
                {filter}{' '}
                <Badge variant="light" color="grape" tt="none">
                  shadow
                </Badge>
              </>
            ),
          },
          { head: 'would fail', isNumber: true, cell: ({ wouldFail }) => formatCount(wouldFail) },
          { head: 'would move', isNumber: true, cell: ({ wouldMove }) => formatCount(wouldMove) },
          {
            head: 'The first that would fail',
            cell: ({ notSolved, failing }) => (
              <>
                {failing.length === 0 ? (
                  <span className="dimmed">
                    {notSolved === 0 ? 'none' : `of ${formatCount(notSolved)} the result is unknown: no solver ran`}
                  </span>
                ) : null}
                {failing.map(({ decision, because }) => (
                  <div key={decision.id} className="profile-failing">
                    <DecisionLink decision={decision} /> {because}
                  </div>
                ))}
              </>
            ),
          },
        ]}
      />
    </>
  )
}

const HOSTS_SHOWN = 2

/** The hosts, one in each line. A host with several instances is followed by their count. */
function Hosts({ hosts }: { readonly hosts: readonly string[] }) {
  const counts = new Map<string, number>()
  for (const host of hosts) counts.set(host, (counts.get(host) ?? 0) + 1)
  return (
    <>
      {hosts.length === 0 ? <span className="dimmed">no host</span> : null}
      {[...counts].slice(0, HOSTS_SHOWN).map(([host, count]) => (
        <div key={host}>
          {host}
          {count > 1 ? ` × ${formatCount(count)}` : ''}
        </div>
      ))}
      {counts.size > HOSTS_SHOWN ? <div className="dimmed">and {formatCount(counts.size - HOSTS_SHOWN)} more hosts</div> : null}
    </>
  )
}
