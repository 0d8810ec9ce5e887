/**
 * The query parameters of the page. They contain all scenarios completely, so that everyone who follows a link simulates the same. The
 * fields of the first scenario are separate parameters.
 */
export interface SimulateSearch {
  /** The request, JSON in the form of docs/request-spec.md. */
  readonly request?: string
  /** The request is decided this many times. The default is 1. */
  readonly count?: string
  readonly profile?: string
  /** The hypothetical edits, JSON in the form of the API. */
  readonly overlay?: string
  /** Changed parts of the profile, JSON in the form of the API. */
  readonly changes?: string
  /** The moment of the fleet, as on every page. The default is the present. Links to the present set this field to undefined. */
  readonly at?: string | undefined
  /** The label of the first scenario. */
  readonly name?: string
  /** The further scenarios, JSON: a list of objects in the form of `address.ts`. */
  readonly beside?: string
  /** The position of the scenario that is edited and shown in full, from 1. If absent, it is the first scenario. */
  readonly on?: '2' | '3' | undefined
  /** The resource class whose usage the curve shows. The default is the class with the highest usage at the end. */
  readonly use?: string
  /** The first scenario as the API's SimulateInput in JSON. Links from other pages use it instead of `request`. */
  readonly input?: string
  /** `json`: the request is shown as a document. */
  readonly as?: 'json' | undefined
  /** A decision whose request is used if `request` is absent. */
  readonly decision?: string
}

/** Parameters that are stored as texts here. They are parsed by the code that uses them. */
const TEXTS = ['request', 'profile', 'overlay', 'changes', 'at', 'name', 'beside', 'use', 'input', 'decision'] as const

export function readSimulateSearch(search: Record<string, unknown>): SimulateSearch {
  const { count, as, on } = search
  const texts = TEXTS.flatMap((name) => {
    const value = search[name]
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : []
  })
  return {
    ...Object.fromEntries(texts),
    ...(typeof count === 'string' && /^[1-9]\d{0,3}$/.test(count) && count !== '1' ? { count } : {}),
    ...(on === '2' || on === '3' ? { on } : {}),
    ...(as === 'json' ? { as } : {}),
  }
}
