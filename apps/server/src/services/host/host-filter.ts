import { type HostStatus, hostNamesOf } from '@gantt/scheduler-core'
import { InputFault } from '../calls/outcome.ts'
import { type HostView, stateOf, statusOf } from './host-view.ts'

/** Conditions on a text. A text matches if it meets every condition. All conditions except `contains` are case-sensitive. */
export interface TextFilter {
  readonly eq?: string | null | undefined
  readonly neq?: string | null | undefined
  readonly in?: readonly string[] | null | undefined
  readonly nin?: readonly string[] | null | undefined
  readonly startsWith?: string | null | undefined
  readonly contains?: string | null | undefined
}

/** A filter of hosts. A host matches if it meets every condition that is set. */
export interface HostFilter {
  readonly name?: TextFilter | null | undefined
  readonly availabilityZone?: TextFilter | null | undefined
  readonly aggregate?: TextFilter | null | undefined
  readonly status?: HostStatus | null | undefined
  readonly state?: string | null | undefined
  readonly traits?: readonly string[] | null | undefined
  readonly and?: readonly HostFilter[] | null | undefined
  readonly or?: readonly HostFilter[] | null | undefined
  readonly not?: HostFilter | null | undefined
}

/** Limits of the size of a filter. They are needed because a filter is evaluated for every host. */
const MAX_PARTS = 100
const MAX_VALUES = 1_000
/** The maximum length of a text in a filter: no name is longer. */
const MAX_TEXT = 255

/**
 * Compiles a filter to a test of one host. Everything that is the same for all hosts is computed here, such as texts in lower case.
 * Aggregates are compared by name. Throws InputFault for a filter that is too large to be evaluated for every host.
 */
export function compileHostFilter(filter: HostFilter): (view: HostView) => boolean {
  checkFilter(filter)
  return testOf(filter)
}

/** A part of a filter, with its path in the call. */
interface Part {
  readonly filter: HostFilter
  readonly path: readonly string[]
}

function checkFilter(root: HostFilter): void {
  let parts = 0
  const waiting: Part[] = [{ filter: root, path: ['filter'] }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { filter, path } = next
    const { name, availabilityZone, aggregate, traits, and, or, not } = filter
    parts++
    if (parts > MAX_PARTS) throw InputFault.at(['filter'], root, `a filter of at most ${MAX_PARTS} parts`)
    for (const [field, texts] of Object.entries({ name, availabilityZone, aggregate })) if (texts) checkTexts(texts, [...path, field])
    if (traits) checkList(traits, [...path, 'traits'])
    for (const [field, list] of Object.entries({ and, or }))
      for (const [i, part] of (list ?? []).slice(0, MAX_PARTS + 1).entries())
        waiting.push({ filter: part, path: [...path, field, String(i)] })
    if (not) waiting.push({ filter: not, path: [...path, 'not'] })
  }
}

function checkTexts({ in: among, nin, ...texts }: TextFilter, path: readonly string[]): void {
  for (const [field, list] of Object.entries({ in: among, nin })) if (list) checkList(list, [...path, field])
  for (const [field, text] of Object.entries(texts)) if (typeof text === 'string') checkText(text, [...path, field])
}

function checkList(list: readonly string[], path: readonly string[]): void {
  if (list.length > MAX_VALUES) throw InputFault.at(path, list, `a list of at most ${MAX_VALUES} values`)
  for (const [i, text] of list.entries()) checkText(text, [...path, String(i)])
}

function checkText(text: string, path: readonly string[]): void {
  if (text.length > MAX_TEXT) throw InputFault.at(path, text, `at most ${MAX_TEXT} characters long, not ${text.length}`)
}

/** A test of a host or of a text. */
type Test<Subject> = (subject: Subject) => boolean

function testOf({ name, availabilityZone, aggregate, status, state, traits, and, or, not }: HostFilter): Test<HostView> {
  const matchesNames = name ? testOfNames(name) : undefined
  const matchesZone = availabilityZone ? testOfText(availabilityZone) : undefined
  const matchesAggregate = aggregate ? testOfText(aggregate) : undefined
  const [every, some] = [and, or].map((parts) => parts?.map(testOf) ?? []) as [Test<HostView>[], Test<HostView>[]]
  const excluded = not ? testOf(not) : undefined
  return (view) => {
    const { record, fleet } = view
    return (
      (!matchesNames || matchesNames(hostNamesOf(record))) &&
      (!matchesZone || matchesZone(record.zone)) &&
      (!matchesAggregate || record.aggregates.some((uuid) => matchesAggregate(fleet.aggregates.byUuid.get(uuid)?.name ?? ''))) &&
      (!status || statusOf(view) === status) &&
      (!state || stateOf(view) === state) &&
      (traits ?? []).every((trait) => record.traits.has(trait)) &&
      every.every((matches) => matches(view)) &&
      (some.length === 0 || some.some((matches) => matches(view))) &&
      !excluded?.(view)
    )
  }
}

/**
 * True if the present name or an earlier name of a host meets a condition. Every name of the host must meet the exclusions `neq` and `nin`.
 */
function testOfNames({ neq, nin, ...wanted }: TextFilter): Test<readonly string[]> {
  const [isWanted, isAllowed] = [testOfText(wanted), testOfText({ neq, nin })]
  return (names) => names.some(isWanted) && names.every(isAllowed)
}

function testOfText({ eq, neq, in: among, nin, startsWith, contains }: TextFilter): Test<string> {
  const [wanted, excluded] = [among && new Set(among), nin && new Set(nin)]
  const part = contains?.toLowerCase()
  return (text) =>
    (typeof eq !== 'string' || text === eq) &&
    (typeof neq !== 'string' || text !== neq) &&
    (!wanted || wanted.has(text)) &&
    !excluded?.has(text) &&
    (typeof startsWith !== 'string' || text.startsWith(startsWith)) &&
    (part === undefined || text.toLowerCase().includes(part))
}
