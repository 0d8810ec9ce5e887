import { type Aggregate, allNamesIn, type Fleet, hostsOfManyNames, inSlices, SLICE, type Steps, ZONE_KEY } from '@gantt/scheduler-core'
import { aggregateFields, compileQuery, parseQuery, type QueryReaders } from '@gantt/scheduler-core/query'
import { InputFault } from '../calls/outcome.ts'
import { inputProblems } from '../calls/query-problems.ts'

/** How the fields of the filter grammar are read from an aggregate. Terms about member hosts are tested host by host instead. */
const readers: QueryReaders<Aggregate> = {
  '': ({ name }) => name,
  name: ({ name }) => name,
  az: ({ metadata }) => metadata[ZONE_KEY],
  key: ({ metadata }) => Object.keys(metadata),
  value: ({ metadata }) => Object.values(metadata),
  hosts: ({ hosts }) => hosts.length,
}

/** How the name of a member host is read. */
const ofName: QueryReaders<string> = { host: (name) => name }

/**
 * Compiles a line of the filter grammar to a test of one aggregate. The test yields between a few hosts, because an aggregate can have all
 * hosts of a fleet, and visits each host once, however many terms are about hosts. Throws InputFault that lists every problem with its
 * position.
 */
export function compileAggregateQuery(text: string | null | undefined, { hosts }: Fleet): (aggregate: Aggregate) => Steps<boolean> {
  const { query, problems } = parseQuery(text ?? '', aggregateFields)
  if (problems.length > 0) throw new InputFault(inputProblems(problems, text ?? '', ['query']))
  const others = compileQuery({ terms: query.terms.filter(({ field }) => field !== 'host') }, aggregateFields, readers)
  const terms = query.terms
    .filter(({ field }) => field === 'host')
    .map((term) => ({ negated: term.negated, isMeant: compileQuery({ terms: [{ ...term, negated: false }] }, aggregateFields, ofName) }))
  const namesOf = allNamesIn(hostsOfManyNames(hosts))
  return function* isAsked(aggregate) {
    if (!others(aggregate)) return false
    let missing = terms
    for (const host of inSlices(terms.length === 0 ? [] : aggregate.hosts, SLICE)) {
      if (host === undefined) {
        yield
        continue
      }
      for (const name of namesOf(host)) {
        const met = missing.filter(({ isMeant }) => isMeant(name))
        if (met.some(({ negated }) => negated)) return false
        if (met.length > 0) missing = missing.filter((term) => !met.includes(term))
      }
      if (missing.length === 0) return true
    }
    return missing.every(({ negated }) => negated)
  }
}

/** The aggregates that match a line of the filter grammar, in order. Yields between aggregates and between their hosts. */
export function* findAggregates(text: string | null | undefined, fleet: Fleet): Steps<Aggregate[]> {
  const isAsked = compileAggregateQuery(text, fleet)
  const found: Aggregate[] = []
  for (const aggregate of [...fleet.aggregates.byUuid.values()]) {
    yield
    if (yield* isAsked(aggregate)) found.push(aggregate)
  }
  return found
}
