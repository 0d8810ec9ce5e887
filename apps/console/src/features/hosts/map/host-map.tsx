import { useCallback, useMemo } from 'react'
import { formatCount, formatGib, formatMib, formatPercent } from '../../../lib/format.ts'
import { hostLabel } from '../../../lib/host-label.ts'
import { shownNow } from '../../../lib/service/clock.ts'
import { CellMap, type CellMapProps } from '../../../ui/chart/cell-map.tsx'
import type { Backdrop } from '../../../ui/chart/load-scale.ts'
import type { Choice } from '../../../ui/filter/use-choice.ts'
import type { Fleet } from '../fleet.ts'
import { type HostRow, readHost } from '../host-row.ts'
import { isOpen } from '../host-state.tsx'
import type { HostColour, HostGroup } from '../search.ts'
import { groupHosts, loadOf, toShade, verdictLoad } from './map-groups.ts'
import { verdictPixels } from './verdict-colours.ts'
import type { Verdicts } from './verdicts.ts'

export interface HostMapProps {
  readonly fleet: Fleet
  readonly ordinals: Uint32Array
  readonly group: HostGroup
  readonly colour: HostColour
  /** A decision's verdicts on the hosts. If undefined, the colours by verdict are not offered. */
  readonly verdicts: Verdicts | undefined
  readonly height: string
  /** Called with the group's key after a click on its heading. */
  onOpenGroup(key: string): void
  onOpen(ordinal: number): void
  onPress(ordinal: number): void
  /** Shows a host of the map in the side panel. CellMap describes the functions. */
  readonly sidePanel: CellMapProps['sidePanel']
  readonly choice: Choice<number>
}

/** The hosts of the list as a map, coloured by load or another field, with only an outline for hosts that are not UP and ENABLED. */
export function HostMap(props: HostMapProps) {
  const { fleet, ordinals, group, colour, verdicts, height, onOpenGroup, onOpen, onPress, sidePanel, choice } = props
  const { store } = fleet
  const shown = colour === 'verdict' ? verdicts : undefined
  const loadColour = colour === 'verdict' ? 'mem' : colour
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store changes in place; each change of it is a new fleet
  const load = useMemo(
    () => (shown === undefined ? loadOf(store, loadColour, ordinals, shownNow()) : verdictLoad(shown)),
    [fleet, ordinals, loadColour, shown],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store changes in place; each change of it is a new fleet
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
    (ordinal: number): string =>
      describeHost(readHost(store, ordinal)) +
      (load.note === undefined ? '' : `; ${load.note(ordinal)}`) +
      (verdicts === undefined ? '' : `; ${verdicts.groups[verdicts.of(ordinal)]?.label}`),
    [store, verdicts, load],
  )

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
      <CellMap
        label={`Map of ${formatCount(ordinals.length)} ${ordinals.length === 1 ? 'host' : 'hosts'}`}
        groups={groups}
        shade={shade}
        {...(colours === undefined ? {} : { colours })}
        isHollow={isHollow}
        describe={describe}
        onOpen={onOpen}
        onPress={onPress}
        sidePanel={sidePanel}
        onOpenGroup={onOpenGroup}
        isChosen={isChosen}
        onChoose={onChoose}
        height={height}
        legend={{ empty: load.ends[0], full: load.ends[1], hollow: 'outlined: not up, or closed for new instances' }}
      />
    </section>
  )
}

/** The zone, the state and the main amounts of a host in one line. */
function describeHost(row: HostRow): string {
  const { texts, numbers } = row
  const words = [texts.az, `${texts.state} ${texts.status}`.toLowerCase()].filter((word) => word !== '')
  return (
    `${hostLabel(row)}: ${words.join(', ')}; CPU ${formatPercent(numbers['cpu.used'])}, memory ${formatPercent(numbers['mem.used'])}, ` +
    `disk ${formatPercent(numbers['disk.used'])} used; ${formatCount(numbers['cpu.free'])} vCPUs, ${formatMib(numbers['mem.free'])}, ` +
    `disk ${formatGib(numbers['disk.free'])} free; ${formatCount(numbers.claims)} ${numbers.claims === 1 ? 'claim' : 'claims'}`
  )
}
