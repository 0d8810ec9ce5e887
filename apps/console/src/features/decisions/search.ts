import { type ListSearch, readPanelSearch } from '../../lib/browser/list-search.ts'
import type { Scale } from './funnel.ts'

/** The groupings of decisions. */
export const groupings = ['cause', 'flavor', 'project', 'profile', 'chain'] as const
export type Grouping = (typeof groupings)[number]

/** The query parameters of the list. Unknown parameters are dropped. */
export interface DecisionsSearch extends ListSearch {
  /** `off`: new decisions are not added automatically. If absent, the preference of this browser is used. */
  readonly live?: 'on' | 'off'
  /** The grouping that is shown instead of the list. */
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

/** The query parameters of a decision's page: everything that an operator sees, so that a link shows the same. */
export interface DecisionSearch {
  /** The position of the instance in the request, counted from 1. */
  readonly instance?: string
  /** Lists only hosts that this filter refused first. */
  readonly filter?: string
  /** Only with `filter`: lists only hosts that were refused with this reason code. */
  readonly reason?: string
  /** Only with `filter`: lists only hosts whose missing amount is in this range. `1024-2048` means at least 1024 and less than 2048. */
  readonly short?: string
  /** Lists only hosts that no other filter refuses. */
  readonly sole?: string
  /** Lists only hosts that exactly these filters refuse. The names are separated by commas. */
  readonly combo?: string
  /** `yes`: lists only hosts that pass all filters. */
  readonly passed?: 'yes'
  /** Lists only hosts whose names contain this text. */
  readonly find?: string
  readonly sort?: MatrixSort
  /** `yes`: all filters' verdicts, not only the first refusal. */
  readonly all?: 'yes'
  /** The host for which the page explains the result ("why not this host"): `host` or `host/node`. */
  readonly host?: string
  /** The scale of the funnel. If absent, it depends on the count of hosts. */
  readonly scale?: Scale
  /** A host to compare with the chosen host. */
  readonly pin?: string
  /** Which values of the weighers the table shows. If absent, their contributions to the total. */
  readonly numbers?: WeightNumbers
  /** Changed multipliers: `RAMWeigher:0.5,CPUWeigher:-2`. */
  readonly try?: string
  /** `yes`: the search for changes that would make the request fit is started. */
  readonly fit?: 'yes'
  /** The profile of the replay: `name` or `name@number`. If absent, the profile of the decision. */
  readonly by?: string
  /** The revision of the fleet on which the decision is replayed. If absent, the revision of the decision. */
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
