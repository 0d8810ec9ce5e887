import { Anchor, Badge, Button, Group, Text } from '@mantine/core'
import type { EXPLANATION } from '../../../lib/explanation.ts'
import { formatCount, formatNumber } from '../../../lib/format.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { AnchorLink } from '../../../ui/anchor-link.tsx'
import { SmallTable } from '../../../ui/table/small-table.tsx'
import { nameOfHost, shownOf } from '../names.ts'
import { reachOf, type Tried, withTried } from './try-out.ts'
import { WeightSlider } from './weight-slider.tsx'
import './weights.css'

type Explained = ResultOf<typeof EXPLANATION>['explainPlacement']
type Weighing = Explained['weighing']
type Weigher = Weighing['weighers'][number]

interface WeightLabProps {
  readonly decisionId: string
  readonly explained: Explained
  readonly tried: Tried
  /** The listed hosts, in the order of the changed multipliers. */
  readonly ranked: Weighing['hosts']
  onTry(tried: Tried): void
}

/**
 * Shows which weighers are decisive, which have no effect, and the range of each multiplier in which the first host stays first. Sliders
 * change the multipliers on this page only.
 */
export function WeightLab({ decisionId, explained, tried, ranked, onTry }: WeightLabProps) {
  const { weighing, profile } = explained
  const { weighers, margin, note } = weighing
  if (weighers.length === 0 || margin === null) return null
  const set =
    ({ name, multiplier }: Weigher) =>
    (value: number): void =>
      onTry(withTried(tried, name, value, multiplier))
  const isFixed = ({ multiplier }: Weigher): boolean => multiplier === 0 && profile.compat === 'NOVA'
  return (
    <section aria-label="Weight lab">
      <Group justify="space-between" align="flex-end" mt="sm">
        <Text component="h3" fw={600} size="sm">
          Range of each multiplier
        </Text>
        <Button size="compact-xs" variant="outline" disabled={tried.size === 0} onClick={() => onTry(new Map())}>
          Reset
        </Button>
      </Group>
      <Text size="sm" data-margin={margin}>
        {margin === 0
          ? 'The first two have the same total: the order of hosts decided.'
          : `The first is ahead of the second by ${exact(margin)}.`}
        {note === null ? '' : ` ${note}`} Move a multiplier to see which host would be first. This changes nothing.
      </Text>
      <TriedOut decisionId={decisionId} explained={explained} tried={tried} ranked={ranked} />
      <SmallTable
        label="Range of each multiplier in which the first host stays first"
        attributes={{ className: 'lab' }}
        rows={weighers}
        rowKey={({ name }) => name}
        rowAttributes={({ name }) => ({ 'data-weigher': name, 'data-tried': tried.get(name) })}
        columns={[
          { head: 'Weigher', className: 'narrow', cell: ({ name }) => name },
          { head: 'Description', className: 'lab-role', cell: (weigher) => <Role weigher={weigher} /> },
          {
            head: 'another host is best at or below',
            isNumber: true,
            className: 'narrow',
            cell: (weigher) => (
              <Limit
                name={weigher.name}
                at={weigher.flipsBelow}
                winner={weigher.winnerBelow}
                onSet={isFixed(weigher) ? undefined : set(weigher)}
              />
            ),
          },
          {
            head: 'decided',
            isNumber: true,
            className: 'narrow',
            cell: ({ multiplier, multiplierVaries }) => `${formatNumber(multiplier)}${multiplierVaries ? ' *' : ''}`,
          },
          {
            head: 'try',
            className: 'narrow',
            cell: (weigher) => (
              <WeightSlider
                weigher={weigher}
                value={tried.get(weigher.name) ?? weigher.multiplier}
                fixedBecause={isFixed(weigher) ? "Nova's weigher is off at 0: its numbers are not known." : undefined}
                onChange={set(weigher)}
              />
            ),
          },
          {
            head: 'another host is best at or above',
            isNumber: true,
            className: 'narrow',
            cell: (weigher) => (
              <Limit
                name={weigher.name}
                at={weigher.flipsAbove}
                winner={weigher.winnerAbove}
                onSet={isFixed(weigher) ? undefined : set(weigher)}
              />
            ),
          },
        ]}
      />
      <Text size="xs" c="dimmed">
        On the track, the line is the multiplier that decided, and the marks are the values at which another host becomes first while the
        other multipliers stay the same.
        {weighers.some(({ multiplierVaries }) => multiplierVaries)
          ? ' * Some hosts have a multiplier of their own from an aggregate, which they keep; the marks apply to the multiplier of the profile.'
          : ''}
      </Text>
    </section>
  )
}

/** The host that would be first with the changed multipliers, and how many hosts this result covers. */
function TriedOut({ decisionId, explained, tried, ranked }: Omit<WeightLabProps, 'onTry'>) {
  const { weighing, profile, fleetRevision } = explained
  const { weighers, candidateCount, truncatedAt } = weighing
  const [first, second] = ranked
  const [was] = weighing.hosts
  if (tried.size === 0 || first === undefined || was === undefined) return null
  const reach = reachOf(weighers, tried, truncatedAt, candidateCount)
  const ofListed = `first ${formatCount(truncatedAt)} of the ${formatCount(candidateCount)} hosts that passed`
  const ahead = (first.totalWeight ?? 0) - (second?.totalWeight ?? 0)
  const [name, shown] = [nameOfHost(first), shownOf(first)]
  const changes = {
    weighers: profile.weighers.map(({ name: weigher, multiplier, options }) => ({
      name: weigher,
      multiplier: tried.get(weigher) ?? multiplier,
      options,
    })),
  }
  return (
    <Text size="sm" role="status" data-tried-first={name} className="lab-tried">
      <b>
        {name === nameOfHost(was) ? `${shown} stays first` : `${shown} would be first, not ${shownOf(was)}`}
        {second === undefined ? '' : ahead === 0 ? `: as good as ${shownOf(second)}` : `, ${exact(ahead)} ahead of ${shownOf(second)}`}
      </b>
      {ahead !== 0 ? '' : profile.tieOrder === 'SEEDED' ? ', and the seed breaks the tie' : ', and the host reported first'}. The table
      above has this order.{' '}
      {reach === 'ALL'
        ? `This holds for all ${formatCount(candidateCount)} hosts that passed.`
        : reach === 'FIRST'
          ? `No host is before ${shown}; the order after it was computed only for the ${ofListed}.`
          : `The order was computed only for the ${ofListed}.`}{' '}
      <AnchorLink
        size="sm"
        to="/simulate"
        search={{
          decision: decisionId,
          profile: `${profile.profileName}@${profile.number}`,
          at: fleetRevision,
          changes: JSON.stringify(changes),
        }}
      >
        Simulate it on the whole fleet
      </AnchorLink>
    </Text>
  )
}

function Role({ weigher: { decisive, idle, winnerWithout } }: { readonly weigher: Weigher }) {
  if (decisive)
    return (
      <>
        <Badge variant="light" tt="none">
          decides
        </Badge>{' '}
        <Text size="sm" component="span">
          without it: {winnerWithout ?? 'none'}
        </Text>
      </>
    )
  return (
    <Text size="sm" component="span" className={idle ? 'dimmed' : ''}>
      {idle ? 'nothing: without the weigher the first ten hosts are the same' : 'changes only the order after the first host'}
    </Text>
  )
}

interface LimitProps {
  readonly name: string
  readonly at: number | null
  readonly winner: string | null
  /** Called when the operator clicks the limit. Undefined if the multiplier cannot be changed. */
  readonly onSet: ((value: number) => void) | undefined
}

function Limit({ name, at, winner, onSet }: LimitProps) {
  return (
    <>
      {at === null ? (
        <span className="dimmed">never</span>
      ) : onSet === undefined ? (
        <span title={String(at)}>{exact(at)}</span>
      ) : (
        <Anchor
          component="button"
          type="button"
          size="sm"
          title={String(at)}
          aria-label={`Try ${exact(at)} for ${name}`}
          onClick={() => onSet(at)}
        >
          {exact(at)}
        </Anchor>
      )}
      {winner === null ? null : <div className="dimmed">{winner}</div>}
    </>
  )
}

const exact = (value: number): string => (Number.isInteger(value) ? formatCount(value) : formatNumber(value, 5))
