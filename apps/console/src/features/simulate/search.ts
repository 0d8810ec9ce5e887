/** What the address of the page says: all scenarios whole, so that a link asks the same. Those of the first stand each by itself. */
export interface SimulateSearch {
  /** The request, JSON in the form of docs/request-spec.md. */
  readonly request?: string
  /** Instances it is asked; not given: once. */
  readonly count?: string
  readonly profile?: string
  /** What is otherwise than it is, JSON as the API takes it. */
  readonly overlay?: string
  /** Parts of the profile that are otherwise, JSON as the API takes them. */
  readonly changes?: string
  /** The moment whose fleet is asked, as on every page; not given: now. Given as undefined by links that lead to now. */
  readonly at?: string | undefined
  /** How the first scenario is called. */
  readonly name?: string
  /** The scenarios next to the first, JSON: a list of objects that `address.ts` knows. */
  readonly beside?: string
  /** Which scenario is edited and shown whole; not given: the first. */
  readonly on?: '2' | '3' | undefined
  /** The resource class whose use the curve shows; not given: the one that is fullest at the end. */
  readonly use?: string
  /** The whole as the API's SimulateInput, JSON, where `request` says nothing: so other pages link here. */
  readonly input?: string
  /** `json`: the request is shown as a document. */
  readonly as?: 'json' | undefined
  /** A decision whose request is asked, where `request` says none. */
  readonly decision?: string
}

/** What is given as a text and read later, where it is used. */
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
