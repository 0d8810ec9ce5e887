import { EMPTY, fromSimulateInput, type Overlay, type RequestDocument, readObject, type Scenario } from './scenario.ts'

/** What the address of the page says: the whole scenario, so that a link asks the same. */
export interface SimulateSearch {
  /** The request, JSON in the form of docs/request-spec.md. */
  readonly request?: string
  /** How often it is asked; not given: once. */
  readonly count?: string
  readonly profile?: string
  /** What is otherwise than it is, JSON as the API takes it. */
  readonly overlay?: string
  /** Parts of the profile that are otherwise, JSON as the API takes them. */
  readonly changes?: string
  /** The moment whose fleet is asked, as on every page; not given: now. Given as undefined by links that lead to now. */
  readonly at?: string | undefined
  /** The whole as the API's SimulateInput, JSON, where `request` says nothing: so other pages link here. */
  readonly input?: string
  /** `json`: the request is shown as a document. */
  readonly as?: 'json'
  /** A decision whose request is asked, where `request` says none. */
  readonly decision?: string
}

export function readSimulateSearch({
  request,
  count,
  profile,
  overlay,
  changes,
  at,
  input,
  as,
  decision,
}: Record<string, unknown>): SimulateSearch {
  return {
    ...text('request', request),
    ...(typeof count === 'string' && /^[1-9]\d{0,3}$/.test(count) && count !== '1' ? { count } : {}),
    ...text('profile', profile),
    ...text('overlay', overlay),
    ...text('changes', changes),
    ...text('at', at),
    ...text('input', input),
    ...(as === 'json' ? { as } : {}),
    ...text('decision', decision),
  }
}

const text = <Name extends string>(name: Name, value: unknown): { readonly [name in Name]?: string } =>
  typeof value === 'string' && value !== '' ? ({ [name]: value } as { readonly [name in Name]: string }) : {}

interface ScenarioFound {
  /** Undefined: it asks nothing yet, or not in a way that can be read. */
  readonly scenario: Scenario | undefined
  readonly problem: string | undefined
}

/** The scenario of an address. `asked`: the request of the decision that the address names, where it says none itself. */
export function scenarioOf(search: SimulateSearch, asked: RequestDocument | undefined): ScenarioFound {
  const { request, count, profile, overlay, changes, at, input } = search
  if (request === undefined && input !== undefined) return scenarioOfInput(input)
  const read = {
    request: request === undefined ? { value: asked } : readObject(request),
    overlay: overlay === undefined ? { value: {} } : readObject(overlay),
    changes: changes === undefined ? { value: undefined } : readObject(changes),
  }
  for (const [what, one] of Object.entries(read))
    if ('problem' in one) return { scenario: undefined, problem: `The address has a ${what} that cannot be read. ${one.problem}` }
  const [document, edits, profileChanges] = [read.request, read.overlay, read.changes].map((one) =>
    'value' in one ? one.value : undefined,
  )
  if (document === undefined) return { scenario: undefined, problem: undefined }
  // what the overlay says beyond being an object is the service's to refuse
  const scenario = {
    request: document,
    count: Number(count ?? EMPTY.count),
    profile,
    overlay: (edits ?? {}) as Overlay,
    profileChanges,
    at,
  }
  return { scenario, problem: undefined }
}

/** The other way; nothing that is so by default. */
export function searchOf({ request, count, profile, overlay, profileChanges, at }: Scenario): SimulateSearch {
  return {
    request: JSON.stringify(request),
    ...(count === 1 ? {} : { count: String(count) }),
    ...(profile === undefined || profile === '' ? {} : { profile }),
    ...(Object.keys(overlay).length === 0 ? {} : { overlay: JSON.stringify(overlay) }),
    ...(profileChanges === undefined ? {} : { changes: JSON.stringify(profileChanges) }),
    at,
  }
}

function scenarioOfInput(text: string): ScenarioFound {
  const read = readObject(text)
  const scenario = 'value' in read ? fromSimulateInput(read.value) : undefined
  if (scenario !== undefined) return { scenario, problem: undefined }
  return { scenario, problem: `The address has an input that cannot be read. ${'problem' in read ? read.problem : 'It has no request.'}` }
}
