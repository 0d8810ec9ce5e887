import { allNamesIn, isStorable, reasonCodes } from '@gantt/scheduler-core'
import { compileQuery, decisionFields, parseQuery, type Query, type QueryProblem, type QueryReaders } from '@gantt/scheduler-core/query'
import type { HostNames } from '../../db/tables/decision-query.ts'
import { causeOfRefusal, type StoredDecision } from '../../db/tables/rows.ts'
import { InputFault } from '../calls/outcome.ts'
import { inputProblems } from '../calls/query-problems.ts'
import { noSuchReason } from '../calls/reason-codes.ts'

/** Parses a line of the filter grammar about decisions. Throws InputFault that lists every problem with its position. */
export function parseDecisionQuery(text: string | null | undefined, path: readonly string[] = ['query']): Query {
  if (typeof text === 'string' && !isStorable(text)) throw InputFault.at(path, text, 'text without NUL')
  const { query, problems: ofGrammar } = parseQuery(text ?? '', decisionFields)
  const problems = [...ofGrammar, ...unknownCodes(query)]
  if (problems.length > 0) throw new InputFault(inputProblems(problems, text ?? '', path))
  return {
    terms: query.terms.map((term) => (term.field === null || term.field === 'id' ? { ...term, values: term.values.map(bareId) } : term)),
  }
}

/** The fields whose values are reason codes. */
const CODE_FIELDS = { cause: (code: string) => code, reason: (code: string) => code }

/** The codes and patterns that match no reason code. They are refused, because an empty result for them would be misleading. */
function unknownCodes({ terms }: Query): QueryProblem[] {
  return terms
    .filter(({ field }) => field !== null && Object.hasOwn(CODE_FIELDS, field))
    .flatMap((term) =>
      term.values.flatMap((value) => {
        const isMeant = compileQuery({ terms: [{ ...term, negated: false, values: [value] }] }, decisionFields, CODE_FIELDS)
        return reasonCodes.some(isMeant) ? [] : [{ message: noSuchReason(value), from: term.from, to: term.to }]
      }),
    )
}

/** Replaces a global id, as it occurs in links and answers, with the decision's uuid that it contains. */
function bareId(word: string): string {
  const [type, id] = Buffer.from(word, 'base64').toString('utf8').split(':')
  return type === 'Decision' && id !== undefined ? id : word
}

/**
 * Returns a test of whether a decision matches a query. db/tables/decision-query.ts evaluates the same queries in SQL, where decisions are
 * also found by request ids in the audit.
 */
export function compileDecisionQuery(query: Query, names: HostNames = []): (decision: StoredDecision) => boolean {
  // `last:1h` means "at most an hour old"
  const terms = query.terms.map((term) => (term.field === 'last' && term.operator === ':' ? { ...term, operator: '<=' as const } : term))
  return compileQuery({ terms }, decisionFields, readersIn(allNamesIn(names)))
}

const readersIn = (namesOf: (host: string) => readonly string[]): QueryReaders<StoredDecision> => ({
  '': ({ id, record, answer }) => [
    id,
    ...record.request.instanceUuids,
    ...answer.flatMap(({ selected }) => namesOf(selected.host)),
    ...(record.request.flavor.name ? [record.request.flavor.name] : []),
  ],
  id: ({ id, record }) => [id, ...record.request.instanceUuids],
  // only the audit contains request ids, and the audit is written after the answer
  request: () => undefined,
  outcome: ({ outcome }) => outcome,
  host: ({ answer }) => answer.flatMap(({ selected }) => namesOf(selected.host)),
  account: ({ account }) => account,
  instance: ({ record }) => record.request.instanceUuids,
  chain: ({ record }) => record.request.instanceUuids[0],
  flavor: ({ record }) => record.request.flavor.name ?? undefined,
  zone: ({ record }) => record.request.availabilityZone ?? undefined,
  project: ({ record }) => record.request.projectId ?? undefined,
  profile: ({ record }) => [record.profile, record.profile.split('@')[0] ?? record.profile],
  reason: ({ reasons }) => reasons.map(({ code }) => code),
  cause: (decision) => causeOfRefusal(decision)?.code ?? undefined,
  filter: ({ reasons }) => reasons.map(({ filter }) => filter),
  attempt: ({ record }) => record.attempt,
  last: ({ at }) => (Date.now() - at) / 1_000,
  at: ({ at }) => at,
})
