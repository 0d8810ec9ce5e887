import { type FieldHolding, type HostSortTerm, isHostSort, parseSort, printSort, reportedFields } from '@gantt/scheduler-core/query'
import { type ListSearch, readPanelSearch } from '../../lib/browser/list-search.ts'

/** The views of the list of hosts. */
export const hostViews = ['split', 'table', 'map'] as const
/** The groupings of the map. */
export const hostGroups = ['az', 'aggregate', ...reportedFields.map(({ name }) => name)] as const
/** The fields by which the map can be coloured, by their names in the URL. Totals are left out, because most hosts have equal totals. */
export const colourFields = {
  cpu: 'cpu.used',
  mem: 'mem.used',
  disk: 'disk.used',
  'cpu.free': 'cpu.free',
  'mem.free': 'mem.free',
  'disk.free': 'disk.free',
  claims: 'claims',
  age: 'age',
} as const satisfies Readonly<Record<string, FieldHolding<'number'>['name']>>

/** Colours of the map that show a field of hosts. */
export type LoadColour = keyof typeof colourFields

/** The values by which the map can be coloured: a field of hosts, or a decision's verdict. */
export const hostColours = [...(Object.keys(colourFields) as LoadColour[]), 'verdict'] as const

/** The tabs of a host's page in addition to the summary. */
export const hostSheets = ['claims', 'decisions', 'timeline', 'raw'] as const

export type HostView = (typeof hostViews)[number]
export type HostGroup = (typeof hostGroups)[number]
export type HostColour = (typeof hostColours)[number]
export type HostSheet = (typeof hostSheets)[number]

/** The query parameters of the list. Unknown parameters are dropped. */
export interface HostsSearch extends ListSearch {
  /**
   * The order of the list: fields of the filter grammar, separated by commas, with `-` in front for descending order. The default is by
   * name.
   */
  readonly sort?: string
  /** The default is split. */
  readonly view?: HostView
  /** The default is az. */
  readonly group?: HostGroup
  /** The default is verdict if there is a `decision`, otherwise mem. */
  readonly colour?: HostColour
  /** `yes` if the selected hosts are compared with all other hosts. */
  readonly compare?: 'yes'
  /** The decision whose verdicts are shown. */
  readonly decision?: string
  /** The position of the instance in the request, counted from 1. If absent, the service chooses the instance. */
  readonly instance?: string
  /** The list has only hosts with this verdict. The value is the key of a group in verdicts.ts. */
  readonly verdict?: string
  /** `yes` if the forgotten hosts are shown instead of the present ones. */
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

/** Parses `sort`. Unknown fields are dropped. */
export const readSort = (sort: string): readonly HostSortTerm[] => parseSort(sort).filter(isHostSort)

/** The query parameters of the page of a host. */
export interface HostSearch {
  /** The node. Absent if it has the name of the host. */
  readonly node?: string
  /** The selected tab. The default is summary. */
  readonly sheet?: HostSheet
  /** The kinds of events that the timeline shows, separated by commas (timeline.ts). If absent, all kinds. */
  readonly kinds?: string
  /** A former name of the host, from the link that was followed. */
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
