import {
  EMPTY,
  fromSimulateInput,
  isRecord,
  MAX_COPIES,
  type Overlay,
  type RequestDocument,
  readObject,
  type Scenario,
} from './scenario.ts'
import { MAX_NAME_LENGTH, MAX_SCENARIOS } from './scenarios.ts'
import type { SimulateSearch } from './search.ts'

interface ScenariosFound {
  /** The scenarios. Empty if the URL has no scenario yet, or only invalid ones. */
  readonly scenarios: readonly Scenario[]
  readonly problem: string | undefined
}

/** The value of `at` with which a further scenario uses the present fleet although the page shows the past. */
const NOW = 'now'

/**
 * A further scenario in the form of the URL. Absent fields have their defaults, except for two. If the request is absent, it is that of the
 * first scenario. If the moment is absent, it is that of the page.
 */
interface Entry {
  readonly name?: string
  readonly request?: RequestDocument
  readonly count?: number
  readonly profile?: string
  readonly overlay?: Overlay
  readonly changes?: RequestDocument
  /** The moment: a revision, a time, or `now`. */
  readonly at?: string
}

/** Reads the scenarios in a URL. A scenario without a request uses `asked`, the request of the decision in the URL. */
export function scenariosOf(search: SimulateSearch, asked: RequestDocument | undefined): ScenariosFound {
  try {
    const first = firstOf(search, asked)
    if (first === undefined) return { scenarios: [], problem: undefined }
    return { scenarios: [first, ...furtherScenariosOf(search.beside, first)], problem: undefined }
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error
    return { scenarios: [], problem: error.message }
  }
}

/** Prints scenarios for the URL, without default values. */
export function searchOf([first, ...others]: readonly Scenario[]): SimulateSearch {
  if (first === undefined) return {}
  const { name, request, count, profile, overlay, profileChanges, at } = first
  return {
    request: JSON.stringify(request),
    ...(count === 1 ? {} : { count: String(count) }),
    ...(profile === undefined || profile === '' ? {} : { profile }),
    ...(Object.keys(overlay).length === 0 ? {} : { overlay: JSON.stringify(overlay) }),
    ...(profileChanges === undefined ? {} : { changes: JSON.stringify(profileChanges) }),
    ...(name === undefined ? {} : { name }),
    ...(others.length === 0 ? {} : { beside: JSON.stringify(others.map((scenario) => entryOf(scenario, first))) }),
    at,
  }
}

/** The error for a URL with invalid parts. The message describes them in sentences. */
class UnreadableError extends Error {
  override readonly name = 'UnreadableError'
}

function firstOf(search: SimulateSearch, asked: RequestDocument | undefined): Scenario | undefined {
  const { request, count, profile, overlay, changes, at, input, name } = search
  if (name !== undefined) checkName(name, 'The address contains a scenario name')
  if (request === undefined && input !== undefined) return { ...ofInput(input), name }
  const read = (what: string, text: string | undefined): RequestDocument | undefined => {
    if (text === undefined) return undefined
    const found = readObject(text)
    if ('problem' in found) throw new UnreadableError(`The address has a ${what} that cannot be read. ${found.problem}`)
    return found.value
  }
  const document = read('request', request) ?? asked
  // the overlay only has to be an object, because the service checks its content
  const edits = (read('overlay', overlay) ?? {}) as Overlay
  const profileChanges = read('changes', changes)
  if (document === undefined) return undefined
  return { name, request: document, count: Number(count ?? EMPTY.count), profile, overlay: edits, profileChanges, at }
}

function ofInput(text: string): Scenario {
  const read = readObject(text)
  const scenario = 'value' in read ? fromSimulateInput(read.value) : undefined
  if (scenario !== undefined) return scenario
  throw new UnreadableError(
    `The address has an input that cannot be read. ${'problem' in read ? read.problem : 'The input has no request.'}`,
  )
}

function furtherScenariosOf(text: string | undefined, first: Scenario): readonly Scenario[] {
  if (text === undefined) return []
  const list = readList(text)
  if (list.length >= MAX_SCENARIOS)
    throw new UnreadableError(`The address has ${list.length} further scenarios; it may have ${MAX_SCENARIOS - 1}.`)
  return list.map((entry, i) => ofEntry(entry, first, `Scenario ${i + 2} of the address`))
}

function readList(text: string): readonly unknown[] {
  const problem = 'The address has further scenarios that cannot be read.'
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch (error) {
    throw new UnreadableError(`${problem} ${error instanceof Error ? error.message : String(error)}`)
  }
  if (!Array.isArray(list)) throw new UnreadableError(`${problem} They are ${typeof list}; they must be a list.`)
  return list
}

/** Parses a further scenario. Throws an UnreadableError whose message begins with `what`. */
function ofEntry(entry: unknown, first: Scenario, what: string): Scenario {
  if (!isRecord(entry)) throw new UnreadableError(`${what} is ${JSON.stringify(entry)}; it must be an object.`)
  const { name, request, count = 1, profile, overlay, changes, at } = entry
  const objectAt = (field: string, value: unknown): RequestDocument | undefined => {
    if (value === undefined || isRecord(value)) return value
    throw new UnreadableError(`${what} has the ${field} ${JSON.stringify(value)}; it must be an object.`)
  }
  const textAt = (field: string, value: unknown): string | undefined => {
    if (value === undefined || (typeof value === 'string' && value !== '')) return value
    throw new UnreadableError(`${what} has the ${field} ${JSON.stringify(value)}; it must be a text.`)
  }
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > MAX_COPIES)
    throw new UnreadableError(`${what} has the count ${JSON.stringify(count)}; it must be a whole number of 1 to ${MAX_COPIES}.`)
  const moment = textAt('at', at)
  const called = textAt('name', name)
  if (called !== undefined) checkName(called, `${what} has a name`)
  return {
    name: called,
    request: objectAt('request', request) ?? first.request,
    count,
    profile: textAt('profile', profile),
    overlay: (objectAt('overlay', overlay) ?? {}) as Overlay,
    profileChanges: objectAt('changes', changes),
    at: moment === undefined ? first.at : moment === NOW ? undefined : moment,
  }
}

function checkName(name: string, what: string): void {
  if (name.length > MAX_NAME_LENGTH) throw new UnreadableError(`${what} of ${name.length} characters; it may have ${MAX_NAME_LENGTH}.`)
}

function entryOf({ name, request, count, profile, overlay, profileChanges, at }: Scenario, first: Scenario): Entry {
  return {
    ...(name === undefined ? {} : { name }),
    ...(JSON.stringify(request) === JSON.stringify(first.request) ? {} : { request }),
    ...(count === 1 ? {} : { count }),
    ...(profile === undefined || profile === '' ? {} : { profile }),
    ...(Object.keys(overlay).length === 0 ? {} : { overlay }),
    ...(profileChanges === undefined ? {} : { changes: profileChanges }),
    ...(at === first.at ? {} : { at: at ?? NOW }),
  }
}
