export const windows = ['1h', '6h', '24h', '7d'] as const
export type Window = (typeof windows)[number]

export const samples = ['200', '500', '2000'] as const
export type Sample = (typeof samples)[number]

/** The query parameters of the page of a profile: the shown version, and the version with which it is compared. */
export interface ProfileSearch {
  /** The number of the shown version. The default is the version in the rollout or, without a rollout, the active version. */
  readonly version?: string
  /**
   * The number of the version for the comparison. The default is the active version. If that is the shown version, it is the first version
   * that the form offers.
   */
  readonly against?: string
  /** The time range of the requests that are decided again. The default is one hour. */
  readonly last?: Window
  /** At most this many requests are decided again. The default is 200. */
  readonly sample?: Sample
  /** `yes`: the evaluation runs when the page is opened. */
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

/** The time range as a duration of the API. */
export const durationOf = (window: Window): string => (window.endsWith('d') ? `P${window.toUpperCase()}` : `PT${window.toUpperCase()}`)

/** The time range as text. */
export const nameOfWindow = (window: Window): string => {
  const count = Number.parseInt(window, 10)
  const unit = window.endsWith('d') ? 'day' : 'hour'
  return count === 1 ? `last ${unit}` : `last ${count} ${unit}s`
}

/** The query parameters of the page of a draft. */
export interface ProfileDraftSearch {
  /**
   * The number of the version for a new draft. If absent, the existing draft is opened or, if there is none, a draft based on the active
   * version.
   */
  readonly from?: string
}

export const readProfileDraftSearch = ({ from }: Record<string, unknown>): ProfileDraftSearch => number('from', from)
