import { type ListSearch, readPanelSearch } from '../../lib/list-search.ts'
import type { Scale } from './funnel.ts'

/** What decisions are gathered by. */
export const groupings = ['cause', 'flavor', 'project', 'profile', 'chain'] as const
export type Grouping = (typeof groupings)[number]

/** What the address of the list says behind the question mark; everything else is left out. */
export interface DecisionsSearch extends ListSearch {
  /** `off`: nothing comes in by itself; if not given, as was chosen for this browser. */
  readonly live?: 'on' | 'off'
  /** Gathered, in the place of the list. */
  readonly group?: Grouping
}

export function readDecisionsSearch({ live, group, ...search }: Record<string, unknown>): DecisionsSearch {
  const grouping = groupings.find((one) => one === group)
  return {
    ...readPanelSearch(search),
    ...(live === 'on' || live === 'off' ? { live } : {}),
    ...(grouping === undefined ? {} : { group: grouping }),
  }
}

export const matrixSorts = ['distance', 'rank', 'name'] as const
export type MatrixSort = (typeof matrixSorts)[number]

export const weightNumbers = ['weighted', 'normalized', 'raw'] as const
export type WeightNumbers = (typeof weightNumbers)[number]

/** What the address of one decision says: all that an operator looks at, so that a link shows the same. */
export interface DecisionSearch {
  /** Which instance, counted from 1. */
  readonly instance?: string
  /** Hosts refused first by this filter. */
  readonly filter?: string
  /** Among those: with this code. */
  readonly reason?: string
  /** Among those: how much they lack, from one amount and below another. */
  readonly short?: string
  /** Hosts that this filter alone refuses. */
  readonly sole?: string
  /** Hosts that exactly these filters refuse, separated by commas. */
  readonly combo?: string
  /** `yes`: only hosts that pass everything. */
  readonly passed?: 'yes'
  /** Part of the name. */
  readonly find?: string
  readonly sort?: MatrixSort
  /** `yes`: what every filter says, not only the first that refuses. */
  readonly all?: 'yes'
  /** The host that is asked about: `host` or `host/node`. */
  readonly host?: string
  /** How hosts become lengths in the funnel; not given: what suits their number. */
  readonly scale?: Scale
  /** A host to compare with the one that was taken. */
  readonly pin?: string
  /** Which numbers of the weighers stand in the table; not given: what they add to the total. */
  readonly numbers?: WeightNumbers
  /** Multipliers that are tried: `RAMWeigher:0.5,CPUWeigher:-2`. */
  readonly try?: string
  /** `yes`: what would make it fit is asked. */
  readonly fit?: 'yes'
  /** The profile that is asked instead of the one that decided, `name` or `name@number`. */
  readonly by?: string
  /** The revision of the fleet that it is asked of instead of the one that it met. */
  readonly on?: string
  /** The id of a decision to compare with. */
  readonly with?: string
}

export function readDecisionSearch(search: Record<string, unknown>): DecisionSearch {
  const { instance, sort, all, passed, scale, numbers } = search
  return {
    ...(typeof instance === 'string' && /^[1-9]\d{0,3}$/.test(instance) ? { instance } : {}),
    ...text('filter', search.filter),
    ...text('reason', search.reason),
    ...(typeof search.short === 'string' && /^\d+(\.\d+)?-\d+(\.\d+)?$/.test(search.short) ? { short: search.short } : {}),
    ...text('sole', search.sole),
    ...text('combo', search.combo),
    ...(passed === 'yes' ? { passed } : {}),
    ...text('find', search.find),
    ...(matrixSorts.some((one) => one === sort) ? { sort: sort as MatrixSort } : {}),
    ...(all === 'yes' ? { all } : {}),
    ...text('host', search.host),
    ...(scale === 'log' || scale === 'linear' ? { scale } : {}),
    ...text('pin', search.pin),
    ...(weightNumbers.some((one) => one === numbers) ? { numbers: numbers as WeightNumbers } : {}),
    ...text('try', search.try),
    ...(search.fit === 'yes' ? { fit: 'yes' } : {}),
    ...text('by', search.by),
    ...(typeof search.on === 'string' && /^\d{1,15}$/.test(search.on) ? { on: search.on } : {}),
    ...text('with', search.with),
  }
}

const text = <Name extends string>(name: Name, value: unknown): { readonly [name in Name]?: string } =>
  typeof value === 'string' && value !== '' ? ({ [name]: value } as { readonly [name in Name]: string }) : {}
