import { contradictionsOf, type RequestSpec } from '@gantt/scheduler-core'
import { callerPath, furtherPolicies, granularKeysOf, unreadableImage, type WrittenRequest } from '@gantt/scheduler-core/nova'
import { type Issue, issue, MAX_ISSUES } from '../calls/outcome.ts'
import { checkNames } from '../calls/text.ts'

/**
 * Limits for parts of a request that are evaluated on every host. The published versions of requests do not contain these limits, because
 * published versions never change and stored requests must parse in every release.
 */
export const requestLimits = {
  /** The maximum nesting depth of the hint `query`, which JsonFilter evaluates. */
  queryDepth: 16,
  /** The maximum count of operators and arguments in the query. */
  queryTerms: 200,
  /** The maximum length of the query in characters. */
  queryLength: 4_096,
  /** The maximum count of words in one value of an extra spec with an operator, such as `<or> a <or> b`. */
  operatorWords: 100,
} as const

/** The errors in a request of valid form. The path of each error is a path in the caller's document. */
export const checkRequest = (request: RequestSpec, path: readonly string[]): Issue[] => {
  const at: Place = (inner) => [...path, ...pathAsGiven(request.nova, inner)]
  return [
    ...checkNames(at, request, isFreeText),
    ...checkExpressions(request, at),
    ...checkGroups(request, path),
    ...contradictionsOf(request).map(({ path: inner, found, rule }) => issue(at(inner), found, rule, 'spec.invalid')),
    ...checkServerGroup(request, path, at),
  ]
}

/** Refuses an image property that Nova's filters cannot read. With such a property, the filters would fail on every host. */
export function checkImageForNova(request: RequestSpec, path: readonly string[]): Issue[] {
  const unreadable = unreadableImage(request)
  if (unreadable === undefined) return []
  const { path: inner, found, why } = unreadable
  return [issue([...path, ...pathAsGiven(request.nova, inner)], found, `be a value that Nova's image objects take: ${why}`)]
}

/** Converts a path of Gantt's form to a path in the caller's document, from the root of the call. */
type Place = (inner: readonly string[]) => readonly string[]

/** Converts a path of Gantt's form to a path in the caller's Nova document. If `nova` is null, the caller used Gantt's form. */
export const pathAsGiven = (nova: WrittenRequest | null, inner: readonly string[]): readonly string[] =>
  nova === null ? inner : callerPath(nova, inner)

/**
 * Refuses granular groups of resources (`resources1:...`). In this service, a host is a single resource provider. If the group were
 * ignored, the instance would get no device.
 */
const checkGroups = (request: RequestSpec, path: readonly string[]): Issue[] =>
  granularKeysOf(request)
    .slice(0, MAX_ISSUES)
    .map(({ path: inner, found, rule, isOfHost }) => {
      const at = [...path, ...inner.map((key) => key.slice(0, 80))]
      const why = `${rule}: numbered and named groups of resources need several resource providers on one host, and in this service a host is one provider`
      return isOfHost ? issue(at, found, rule) : issue(at, found, why, 'call.granular_group')
    })

const flavorsOf = ({ flavor, gang }: Pick<RequestSpec, 'flavor' | 'gang'>) => [
  { at: ['flavor'], extraSpecs: flavor.extraSpecs },
  ...gang.map((member, i) => ({ at: ['gang', String(i), 'flavor'], extraSpecs: member.flavor.extraSpecs })),
]

/** Refuses parts of a server group's rule that this service does not enforce. */
function checkServerGroup(request: RequestSpec, path: readonly string[], place: Place): Issue[] {
  const { maxServerPerHost: most = null, policy } = request.instanceGroup ?? {}
  return [
    ...furtherPolicies(request)
      .slice(0, MAX_ISSUES)
      .map(({ path: inner, found }) => issue([...path, ...inner], found, 'be left out: a server group has one policy')),
    ...(most === null || policy === 'ANTI_AFFINITY'
      ? []
      : [issue(place(['instanceGroup', 'maxServerPerHost']), most, `be left out with the policy ${policy}: only ANTI_AFFINITY uses it`)]),
  ]
}

/** Fields with free texts, which are not checked as names. */
const FREE: ReadonlySet<string> = new Set(['extraSpecs', 'properties', 'schedulerHints', 'specs'])

const isFreeText = (path: readonly string[], what: 'key' | 'text'): boolean =>
  path[0] === 'nova' || (what === 'text' && path.slice(0, -1).some((key) => FREE.has(key)))

function checkExpressions({ schedulerHints, flavor, gang }: RequestSpec, place: Place): Issue[] {
  const issues: Issue[] = []
  for (const [i, query] of (schedulerHints.query ?? []).entries())
    issues.push(...checkQuery(query, place(['schedulerHints', 'query', String(i)])))
  for (const { at, extraSpecs } of flavorsOf({ flavor, gang }))
    for (const [key, value] of Object.entries(extraSpecs)) {
      const words = OPERATOR.test(value) ? (value.match(/\S+/g) ?? []).length : 0
      if (words > requestLimits.operatorWords) {
        const rule = `have at most ${requestLimits.operatorWords} words, including its operator; it has ${words}`
        issues.push(issue(place([...at, 'extraSpecs', key.slice(0, 80)]), value, rule, 'call.too_large'))
      }
    }
  return issues
}

/** Matches the prefix of a value that is compared word by word. */
const OPERATOR = /^\s*<(?:or|in|all-in)>/

/**
 * Checks the length, depth and term count of the hint `query`. Invalid JSON is not an error here, because JsonFilter treats it as Nova
 * does.
 */
function checkQuery(text: string, path: readonly string[]): Issue[] {
  const { queryDepth, queryLength, queryTerms } = requestLimits
  const refuse = (rule: string): Issue[] => [issue(path, text, rule, 'call.too_large')]
  if (text.length > queryLength) return refuse(`be at most ${queryLength} characters long, not ${text.length}`)
  let depth = 0
  let deepest = 0
  let terms = 1
  let isQuoted = false
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (character === '\\') i++
    else if (character === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (character === '[' || character === '{') {
      depth++
      deepest = Math.max(deepest, depth)
      terms++
    } else if (character === ']' || character === '}') depth--
    else if (character === ',') terms++
  }
  if (deepest > queryDepth) return refuse(`be nested at most ${queryDepth} deep, not ${deepest}`)
  return terms > queryTerms ? refuse(`have at most ${queryTerms} operators and arguments, not ${terms}`) : []
}
