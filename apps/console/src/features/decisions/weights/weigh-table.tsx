import { Anchor, Group, SegmentedControl, Text } from '@mantine/core'
import { useMemo } from 'react'
import type { EXPLANATION } from '../../../lib/explanation.ts'
import { formatCount, formatFixed, formatNumber, formatSigned } from '../../../lib/format.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { ColourKey, DivergingBar } from '../../../ui/chart/bars.tsx'
import { Heading } from '../../../ui/heading.tsx'
import { type SmallColumn, SmallTable } from '../../../ui/table/small-table.tsx'
import { shortNames } from '../matrix.ts'
import { nameOfHost, shownOf } from '../names.ts'
import { type WeightNumbers, weightNumbers } from '../search.ts'
import { extentOf, gapsBetween, ownMultipliers, stack, withoutZeroWeighers } from './stack.ts'
import { tryOut } from './try-out.ts'
import { useTried } from './use-tried.ts'
import { WeightLab } from './weight-lab.tsx'
import './weights.css'

type Explained = ResultOf<typeof EXPLANATION>['explainPlacement']
type Weighing = Explained['weighing']
type Weighed = Weighing['hosts'][number]

interface WeighTableProps {
  readonly decisionId: string
  readonly explained: Explained
  /** The host with which all other hosts are compared. If undefined, they are compared with the chosen host. */
  readonly pin: string | undefined
  readonly numbers: WeightNumbers
  /** The changed multipliers, in the form of the URL. */
  readonly tried: string | undefined
  /** The sort key of hosts with equal totals. The host with the lower key is first. */
  orderOf(host: string): number
  onTry(tried: string | undefined): void
  onPin(host: string | undefined): void
  onNumbers(numbers: WeightNumbers): void
  onOpen(host: string): void
}

/** Shows why the host was chosen: for the best hosts, the contributions of the weighers to the total, as stacks around zero. */
export function WeighTable(props: WeighTableProps) {
  const { decisionId, explained, pin, numbers, orderOf, onPin, onNumbers, onOpen } = props
  const { weighing, selection } = explained
  const { candidateCount, truncatedAt } = weighing
  const [tried, setTried] = useTried(props.tried, props.onTry)
  const ranked = useMemo(
    () =>
      tried.size === 0
        ? weighing.hosts
        : // hosts with equal totals keep their recorded rank if the seed ordered them
          tryOut(weighing.hosts, tried, (host) => (explained.profile.tieOrder === 'SEEDED' ? (host.rank ?? 0) : orderOf(nameOfHost(host)))),
    [weighing, tried, explained, orderOf],
  )
  const { hosts, weighers, zeroWeighers } = withoutZeroWeighers({ ...weighing, hosts: ranked })
  if (hosts.length === 0) return null
  const taken = hosts.find(({ outcome }) => outcome === 'SELECTED') ?? hosts[0]
  const ranks = new Map(weighing.hosts.map((host) => [nameOfHost(host), host.rank]))
  const pinned = hosts.find((host) => nameOfHost(host) === pin)
  const pinnedName = pinned && nameOfHost(pinned)
  const multiplied = ownMultipliers(weighing.hosts)
  const stacks = hosts.map(({ weights }) => stack(weights))
  const extent = extentOf(stacks)
  const short = shortNames(weighers.map(({ name }) => name))
  return (
    <section aria-label="Weights">
      <Group justify="space-between" align="flex-end" mb={4}>
        <div>
          <Heading keys="4">Why this host</Heading>
          <Text size="sm">
            {selection.text} {decisiveText(weighing.weighers)}
          </Text>
        </div>
        {weighing.weighers.length === 0 ? null : (
          <SegmentedControl
            size="xs"
            aria-label="Scores shown for each weigher"
            value={numbers}
            onChange={(next) => onNumbers(weightNumbers.find((one) => one === next) ?? 'weighted')}
            data={weightNumbers.map((value) => ({ value, label: numberNames[value] }))}
          />
        )}
      </Group>
      <Text size="xs" c="dimmed">
        {truncatedAt < candidateCount
          ? `Truncated at ${formatCount(truncatedAt)} of ${formatCount(candidateCount)} hosts that passed.`
          : `All ${formatCount(candidateCount)} hosts that passed.`}{' '}
        {selection.subsetSize > 1 ? `One of the best ${formatCount(selection.subsetSize)} hosts is selected. ` : ''}
        {selection.tied > 1 ? `${formatCount(selection.tied)} share the best total. ` : ''}
        {selection.seed === null ? '' : `Seed ${selection.seed}. `}
        {multiplied.length === 0 ? '' : `Multipliers of aggregates: ${shortened(multiplied)}. `}
        {zeroWeighers.length === 0 ? '' : `Every host listed has 0 from ${zeroWeighers.join(', ')}. `}
        Gaps are the differences from {taken === undefined ? 'the best host' : shownOf(pinned ?? taken)}; press a rank to compare with that
        host.
      </Text>
      {pin !== undefined && pinned === undefined ? (
        <Text size="sm" role="status">
          {pin} is not among the hosts listed here.
        </Text>
      ) : null}
      {pinned === undefined || taken === undefined || pinned === taken ? null : <Comparison taken={taken} other={pinned} />}
      <ColourKey
        label="Weighers"
        names={weighers.map((weigher) => {
          const value = tried.get(weigher.name)
          return value === undefined ? `${weigher.name} × ${multiplierText(weigher)}` : `${weigher.name} × ${value}, tried`
        })}
      />
      <SmallTable
        label="Totals of the best hosts"
        maxHeight="420px"
        attributes={{ className: 'weights' }}
        rows={hosts.map((host, i) => ({
          ...host,
          name: nameOfHost(host),
          shown: shownOf(host),
          total: host.totalWeight ?? 0,
          segments: stacks[i] ?? [],
        }))}
        rowKey={({ name }) => name}
        rowAttributes={({ name, outcome }) => ({
          'data-host': name,
          'data-outcome': outcome,
          'data-pinned': name === pinnedName || undefined,
        })}
        columns={[
          {
            head: 'Rank',
            cell: ({ name, shown, rank }) => (
              <>
                <Anchor
                  component="button"
                  type="button"
                  size="sm"
                  className="rank"
                  aria-pressed={name === pinnedName}
                  aria-label={`Compare with rank ${rank}, ${shown}`}
                  onClick={() => onPin(name === pinnedName ? undefined : name)}
                >
                  {rank}
                </Anchor>
                {rank === ranks.get(name) ? null : <span className="dimmed"> was {ranks.get(name)}</span>}
              </>
            ),
          },
          {
            head: 'Host',
            cell: ({ name, shown, outcome }) => (
              <>
                <Anchor component="button" type="button" size="sm" onClick={() => onOpen(name)} aria-label={`Why ${shown}`}>
                  {shown}
                </Anchor>
                {notes[outcome] === undefined ? null : <b> {notes[outcome]}</b>}
              </>
            ),
          },
          { head: 'Total', isNumber: true, cell: ({ total }) => weightText(total), title: ({ totalWeight }) => String(totalWeight) },
          { head: 'Gap', isNumber: true, cell: ({ total }) => signed(total - ((pinned ?? taken)?.totalWeight ?? 0)) },
          {
            head: 'Contributions',
            className: 'weights-bar',
            cell: ({ total, segments }) => (
              <DivergingBar
                label={segments.map(({ weigher, weighted }) => `${weigher} ${signed(weighted)}`).join(', ')}
                parts={segments.map(({ weigher, from, to }, colour) => ({ key: weigher, from, to, colour }))}
                extent={extent}
                total={total}
              />
            ),
          },
          ...weighers.map((weigher, i) => weigherColumn(weigher, short[i] ?? weigher.name, i, numbers)),
        ]}
      />
      <WeightLab decisionId={decisionId} explained={explained} tried={tried} ranked={ranked} onTry={setTried} />
    </section>
  )
}

const shortened = (sentences: readonly string[]): string =>
  [...sentences.slice(0, 3), ...(sentences.length > 3 ? [`${formatCount(sentences.length - 3)} more`] : [])].join('; ')

const multiplierText = ({ multiplier, multiplierVaries }: Weighing['weighers'][number]): string =>
  multiplierVaries ? `${formatNumber(multiplier)}, or the multiplier of an aggregate` : formatNumber(multiplier)

const numberNames: Readonly<Record<WeightNumbers, string>> = { weighted: 'Weighted', normalized: 'Normalised', raw: 'Raw' }

function decisiveText(weighers: Weighing['weighers']): string {
  const decisive = weighers.filter((one) => one.decisive).map(({ name }) => name)
  if (weighers.length === 0) return 'No weigher ran, so all hosts have the same total.'
  if (decisive.length === 0) return 'No single weigher decided: if any one of them is left out, the same host is best.'
  return decisive.length === 1
    ? `Decisive: ${decisive[0]}; without it another host would be best.`
    : `Decisive: ${decisive.join(', ')}; without any one of them another host would be best.`
}

/** Compares the contributions of two hosts, weigher by weigher. */
function Comparison({ taken, other }: { readonly taken: Weighed; readonly other: Weighed }) {
  const gaps = gapsBetween(taken.weights, other.weights)
  const total = (taken.totalWeight ?? 0) - (other.totalWeight ?? 0)
  return (
    <Text size="sm" role="status" data-comparison={nameOfHost(other)}>
      {shownOf(taken)} against {shownOf(other)}: {signed(total)} in total
      {gaps.map(({ weigher, gap }) => `, ${weigher} ${signed(gap)}`).join('')}.
    </Text>
  )
}

const notes: Readonly<Record<string, string>> = { SELECTED: 'chosen', ALTERNATE: 'alternate' }

/** The column with one weigher's contributions. */
const weigherColumn = (
  weigher: Weighing['weighers'][number],
  head: string,
  index: number,
  numbers: WeightNumbers,
): SmallColumn<Pick<Weighed, 'weights'>> => ({
  head,
  headTitle: `${weigher.name}: raw numbers from ${formatNumber(weigher.min)} to ${formatNumber(weigher.max)} ${weigher.unit}, multiplier ${multiplierText(weigher)}`,
  isNumber: true,
  cell: ({ weights }) => {
    const weight = weights[index]
    if (weight === undefined) return null
    if (numbers === 'raw') return weight.missing === null ? `${formatCount(weight.raw)} ${weight.unit}` : 'not known'
    const value = weightText(numbers === 'weighted' ? weight.weighted : weight.normalized)
    return weight.missing === null ? value : `${value}, not known`
  },
  title: ({ weights }) => {
    const weight = weights[index]
    if (weight === undefined) return undefined
    const { raw, missing, normalized, unit, multiplier, multiplierSource, weighted } = weight
    const value = missing === null ? `raw ${raw} ${unit}` : `${missing} It counts as ${raw} ${unit}`
    return `${value}, normalised ${normalized}, times ${multiplier}${multiplierSource === null ? '' : ` (${multiplierSource})`}: ${weighted}`
  },
})

/** Rounding errors are shown as zero. */
const weightText = (value: number): string => (Math.abs(value) < 5e-7 ? '0' : formatFixed(value, 4))

const signed = (value: number): string => formatSigned(value, weightText)
