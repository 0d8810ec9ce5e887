import { Group, SegmentedControl } from '@mantine/core'
import { useCallback, useMemo } from 'react'
import { shownNow } from '../../lib/clock.ts'
import { formatCount, formatMib, formatPercent } from '../../lib/format.ts'
import { CellMap, type CellMapProps } from '../../ui/cell-map.tsx'
import type { Backdrop } from '../../ui/load-scale.ts'
import type { Choice } from '../../ui/use-choice.ts'
import type { Fleet } from './fleet.ts'
import { labelOf, readHost } from './host-row.ts'
import { isOpen } from './host-state.tsx'
import { groupHosts, type LoadColour, loadOf, toShade, verdictLoad } from './map-groups.ts'
import { type HostColour, type HostGroup, hostColours, hostGroups } from './search.ts'
import { verdictPixels } from './verdict-colours.ts'
import type { Verdicts } from './verdicts.ts'

const colourNames: Readonly<Record<HostColour, string>> = { cpu: 'CPU', mem: 'Memory', disk: 'Disk', age: 'Report age', verdict: 'Verdict' }
const groupNames: Readonly<Record<HostGroup, string>> = { az: 'Zone', aggregate: 'Aggregate' }

/** What the last colour means. */
const fullOf = (colour: LoadColour): string => {
  if (colour === 'age') return 'reported a day ago or longer, or never'
  return `100 % of ${colour === 'cpu' ? 'CPU' : colourNames[colour].toLowerCase()} used`
}

export interface HostMapProps {
  readonly fleet: Fleet
  readonly ordinals: Uint32Array
  readonly group: HostGroup
  readonly colour: HostColour
  /** What a decision said of the hosts; without it there is no such colour. */
  readonly verdicts: Verdicts | undefined
  readonly height: string
  onGroup(group: HostGroup): void
  onColour(colour: HostColour): void
  /** A group's heading, by the key of groupHosts. */
  onOpenGroup(key: string): void
  onOpen(ordinal: number): void
  onPress(ordinal: number): void
  /** See CellMap. */
  readonly beside: CellMapProps['beside']
  readonly choice: Choice<number>
}

/** The hosts of the list as a picture: where it is full, where it is empty, what is shut. */
export function HostMap(props: HostMapProps) {
  const {
    fleet,
    ordinals,
    group,
    colour: wanted,
    verdicts,
    height,
    onGroup,
    onColour,
    onOpenGroup,
    onOpen,
    onPress,
    beside,
    choice,
  } = props
  const { store } = fleet
  const shown = wanted === 'verdict' ? verdicts : undefined
  // until the decision is made again, or where it cannot be
  const loadColour = wanted === 'verdict' ? 'mem' : wanted
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store changes in place; each change of it is a new fleet
  const load = useMemo(() => (shown === undefined ? loadOf(store, loadColour, shownNow()) : verdictLoad(shown)), [fleet, loadColour, shown])
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  const groups = useMemo(() => groupHosts(store, ordinals, group, load), [fleet, ordinals, group, load])
  const colours = useMemo(() => (shown === undefined ? undefined : (backdrop: Backdrop) => verdictPixels(shown.groups, backdrop)), [shown])
  const shade = useCallback((ordinal: number) => toShade(load.of(ordinal)), [load])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store changes in place; each change of it is a new fleet
  const isHollow = useMemo(() => {
    const states = store.codes('STATE')
    const statuses = store.codes('STATUS')
    const stateWords = store.dictionary('STATE').values
    const statusWords = store.dictionary('STATUS').values
    return (ordinal: number) =>
      !isOpen({ state: stateWords[states[ordinal] ?? 0] ?? '', status: statusWords[statuses[ordinal] ?? 0] ?? '' })
  }, [fleet])
  const describe = useCallback(
    (ordinal: number): string => {
      const row = readHost(store, ordinal)
      const words = [row.az, `${row.state} ${row.status}`.toLowerCase()].filter((word) => word !== '')
      return (
        `${labelOf(row)}: ${words.join(', ')}; CPU ${formatPercent(row.cpuUsed)}, memory ${formatPercent(row.memUsed)}, ` +
        `disk ${formatPercent(row.diskUsed)} used; ${formatCount(row.cpuFree)} vCPUs, ${formatMib(row.memFreeMib)} free; ` +
        `${formatCount(row.claims)} ${row.claims === 1 ? 'claim' : 'claims'}` +
        (verdicts === undefined ? '' : `; ${verdicts.groups[verdicts.of(ordinal)]?.label}`)
      )
    },
    [store, verdicts],
  )

  const offered = verdicts === undefined ? hostColours.filter((one) => one !== 'verdict') : hostColours
  const { items, choose } = choice
  const isChosen = useCallback((ordinal: number) => items.has(ordinal), [items])
  const onChoose = useCallback(
    (ordinals: readonly number[], how: 'only' | 'added' | 'toggled') => {
      const [first = -1] = ordinals
      if (how === 'toggled' && items.has(first)) choose([...items.values()].filter((one) => one !== first))
      else choose(ordinals, how !== 'only')
    },
    [items, choose],
  )

  return (
    <section aria-label="Map">
      <Group gap="md" mb={6}>
        <Switch label="Group by" value={group} values={hostGroups} names={groupNames} onChange={onGroup} />
        <Switch label="Colour" value={shown === undefined ? loadColour : wanted} values={offered} names={colourNames} onChange={onColour} />
      </Group>
      <CellMap
        label={`Map of ${formatCount(ordinals.length)} ${ordinals.length === 1 ? 'host' : 'hosts'}`}
        groups={groups}
        shade={shade}
        {...(colours === undefined ? {} : { colours })}
        isHollow={isHollow}
        describe={describe}
        onOpen={onOpen}
        onPress={onPress}
        beside={beside}
        onOpenGroup={onOpenGroup}
        isChosen={isChosen}
        onChoose={onChoose}
        height={height}
        legend={{
          full: fullOf(loadColour),
          empty: loadColour === 'age' ? 'just now' : '0 %',
          hollow: 'frame: not up, or closed to new instances',
        }}
      />
    </section>
  )
}

interface SwitchProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly values: readonly Value[]
  readonly names: Readonly<Record<Value, string>>
  onChange(value: Value): void
}

function Switch<Value extends string>({ label, value, values, names, onChange }: SwitchProps<Value>) {
  return (
    <Group gap={6}>
      <span className="choice-label">{label}</span>
      <SegmentedControl
        size="xs"
        aria-label={label}
        value={value}
        onChange={onChange}
        data={values.map((one) => ({ value: one, label: names[one] }))}
      />
    </Group>
  )
}
