export const windows = ['1h', '6h', '24h', '7d'] as const
export type Window = (typeof windows)[number]

export const samples = ['200', '500', '2000'] as const
export type Sample = (typeof samples)[number]

/** What the address of one profile says: the version that is looked at, and what it is held against. */
export interface ProfileSearch {
  /** Number of the version; not given: the one that is tried, else the one that decides. */
  readonly version?: string
  /** Number of the version that it is compared with; not given: the one that decides. */
  readonly against?: string
  /** Time range requests are decided again; not given: an hour. */
  readonly last?: Window
  /** How many requests at most; not given: 200. */
  readonly sample?: Sample
  /** `yes`: the comparison is asked. */
  readonly check?: 'yes'
}

export function readProfileSearch({ version, against, last, sample, check }: Record<string, unknown>): ProfileSearch {
  return {
    ...number('version', version),
    ...number('against', against),
    ...(windows.some((one) => one === last) && last !== '1h' ? { last: last as Window } : {}),
    ...(samples.some((one) => one === sample) && sample !== '200' ? { sample: sample as Sample } : {}),
    ...(check === 'yes' ? { check } : {}),
  }
}

const number = <Name extends string>(name: Name, value: unknown): { readonly [name in Name]?: string } =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) ? ({ [name]: value } as { readonly [name in Name]: string }) : {}

/** A window as the API writes it. */
export const durationOf = (window: Window): string => (window.endsWith('d') ? `P${window.toUpperCase()}` : `PT${window.toUpperCase()}`)

/** A window as people say it. */
export const nameOfWindow = (window: Window): string => {
  const count = Number.parseInt(window, 10)
  const unit = window.endsWith('d') ? 'day' : 'hour'
  return count === 1 ? `last ${unit}` : `last ${count} ${unit}s`
}

/** What the address of a draft says. */
export interface ProfileDraftSearch {
  /** Number of the version that it is made from; not given: the one that was begun goes on, else the version that decides. */
  readonly from?: string
}

export const readProfileDraftSearch = ({ from }: Record<string, unknown>): ProfileDraftSearch => number('from', from)
