import { type HostSortTerm, isHostSort, parseSort, printSort, toldFields } from '@gantt/scheduler-core/query'
import { type ListSearch, readPanelSearch } from '../../lib/list-search.ts'

/** How the list is shown. */
export const hostViews = ['split', 'table', 'map'] as const
/** What the map is divided by. */
export const hostGroups = ['az', 'aggregate', ...toldFields.map(({ name }) => name)] as const
/** What the map's colour reports. */
export const hostColours = ['cpu', 'mem', 'disk', 'cpu.free', 'mem.free', 'disk.free', 'claims', 'age', 'verdict'] as const

/** What is shown one host, next to its summary. */
export const hostSheets = ['claims', 'decisions', 'timeline', 'raw'] as const

export type HostView = (typeof hostViews)[number]
export type HostGroup = (typeof hostGroups)[number]
export type HostColour = (typeof hostColours)[number]
export type HostSheet = (typeof hostSheets)[number]

/** What the address of the list says behind the question mark; everything else is left out. */
export interface HostsSearch extends ListSearch {
  /** Fields of the grammar with commas between, with `-` in front for the largest first; the name if not given. */
  readonly sort?: string
  /** split if not given. */
  readonly view?: HostView
  /** az if not given. */
  readonly group?: HostGroup
  /** If not given mem, or verdict where a decision is. */
  readonly colour?: HostColour
  /** `yes`: those that were chosen stand next to the others. */
  readonly compare?: 'yes'
  /** The decision whose verdicts are shown. */
  readonly decision?: string
  /** Which of its instances, counted from 1; as the service chooses if not given. */
  readonly instance?: string
  /** Only hosts of this verdict: the key of a group of verdicts.ts. */
  readonly verdict?: string
  /** `yes`: the hosts that were forgotten, in the place of those that are there. */
  readonly gone?: 'yes'
}

export function readHostsSearch(said: Record<string, unknown>): HostsSearch {
  const { sort, view, group, colour, compare, decision, instance, verdict, gone, ...search } = said
  const isOverlaid = typeof decision === 'string' && decision !== ''
  return {
    ...readPanelSearch(search),
    ...(typeof sort === 'string' && sort !== '' && printSort(readSort(sort)) === sort ? { sort } : {}),
    ...choice('view', hostViews, view),
    ...choice('group', hostGroups, group),
    ...(colour === 'verdict' && !isOverlaid ? {} : choice('colour', hostColours, colour)),
    ...choice('compare', ['yes'] as const, compare),
    ...choice('gone', ['yes'] as const, gone),
    ...(isOverlaid ? { decision } : {}),
    ...(isOverlaid && typeof instance === 'string' && /^[1-9]\d{0,3}$/.test(instance) ? { instance } : {}),
    ...(isOverlaid && typeof verdict === 'string' && verdict !== '' ? { verdict } : {}),
  }
}

/** The orders that `sort` names, without those that there are not. */
export const readSort = (sort: string): readonly HostSortTerm[] => parseSort(sort).filter(isHostSort)

/** What the address of one host says. */
export interface HostSearch {
  /** The node, where the host has many. */
  readonly node?: string
  /** summary if not given. */
  readonly sheet?: HostSheet
  /** What of the timeline is shown, with commas between (timeline.ts); all if not given. */
  readonly kinds?: string
  /** A name that the host had before it was replaced, by which somebody came here. */
  readonly formerly?: string
}

export function readHostSearch({ node, sheet, kinds, formerly }: Record<string, unknown>): HostSearch {
  return {
    ...(typeof node === 'string' && node !== '' ? { node } : {}),
    ...choice('sheet', hostSheets, sheet),
    ...(typeof kinds === 'string' && /^[a-z,]+$/.test(kinds) ? { kinds } : {}),
    ...(typeof formerly === 'string' && formerly !== '' ? { formerly } : {}),
  }
}

function choice<Name extends string, Value extends string>(
  name: Name,
  allowed: readonly Value[],
  value: unknown,
): { readonly [key in Name]?: Value } {
  const found = allowed.find((one) => one === value)
  return found === undefined ? {} : ({ [name]: found } as { readonly [key in Name]?: Value })
}
