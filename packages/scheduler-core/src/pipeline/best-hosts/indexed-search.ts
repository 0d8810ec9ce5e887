import type { Fleet } from '../../fleet/fleet.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { Steps } from '../../values/steps.ts'
import type { FilterStep } from '../filtering/filter-step.ts'
import { passesSafely } from '../filtering/passes-safely.ts'
import { firstRefusals } from '../filtering/run-cached.ts'
import type { WeighStep } from '../weighing/run-weighers.ts'
import type { IndexedSearch } from './best-hosts.ts'
import { findBest } from './branch-and-bound.ts'
import { type ClassCache, classCacheOf } from './class-cache.ts'
import { GONE, MAX_FILTERS, PASSES, RequestClass } from './request-class.ts'
import { joinKeys, ScoreTable, tableKeyOf, termsOf } from './score-table.ts'

interface SearchOptions {
  /** The count of instances that will be searched for. */
  readonly instances: number
  /** True if hosts with equal totals are ordered by their indexes. */
  readonly isByIndex: boolean
  readonly slice: number
}

/** A host is examined apart from its class if a filter names it as an exception. With more exceptions, every host is examined. */
const MAX_EXCEPTIONS = 256
/** A class that is behind by more changes than this share of the hosts is discarded. */
const MAX_BEHIND = 1 / 4
const MIN_BEHIND = 256

/**
 * Prepares a search with what earlier decisions computed. `asked` are the filters that apply to the request. Undefined if verdicts or scores
 * depend on more than the host's own state, so that they cannot be kept.
 */
export function prepareIndexedSearch(
  asked: readonly FilterStep[],
  weighers: readonly WeighStep[],
  fleet: Fleet,
  { instances, isByIndex, slice }: SearchOptions,
): IndexedSearch | undefined {
  if (fleet.hosts.mover !== null || asked.length > MAX_FILTERS || asked.some((step) => !isKept(step))) return undefined
  const terms = termsOf(weighers)
  if (terms === undefined) return undefined
  const cache = classCacheOf(fleet)
  const tableKey = joinKeys([String(fleet.featureLevel), tableKeyOf(terms)])
  // a verdict that is not kept has the name of its filter in the key, at which no key of a kept verdict begins
  const key = joinKeys([tableKey, ...asked.map(({ name, cacheName }) => (cacheName === undefined ? `filter ${name}` : cacheName))])
  const names = asked.map(({ name }) => name)
  /** The verdict of a host by the filters that are kept, or by all of them. */
  const verdictBy = (isEach: boolean) => (host: HostIndex) => {
    if (fleet.hosts.columns.gone[host] === 1) return GONE
    for (let i = 0; i < asked.length; i++) {
      const { prepared, cacheName } = asked[i] as FilterStep
      if (prepared === undefined || (!isEach && cacheName === undefined)) continue
      const verdict = passesSafely(prepared, host)
      if (verdict !== true) return 2 * i + (verdict === undefined ? 1 : 0)
    }
    return PASSES
  }
  const [verdictOf, verdictOfAll] = [verdictBy(false), verdictBy(true)]
  const rawLists = weighers.map((step) => terms.find((term) => term.step === step)?.raw)
  /** A class with the verdicts of the present hosts. Undefined if none is to be built. */
  function* current(known: RequestClass | undefined, table: ScoreTable): Steps<RequestClass | undefined> {
    if (known !== undefined && known.table === table) {
      const isNear = known.behind <= Math.max(MIN_BEHIND, fleet.hosts.count * MAX_BEHIND)
      return isNear && (yield* known.follow(verdictOf, slice)) ? known : undefined
    }
    if (known === undefined && instances === 1 && cache.seen.get(key) === undefined) return undefined
    return new RequestClass(fleet, yield* firstRefusals(asked, fleet, slice), table)
  }
  const lists = terms.reduce((sum, { multiplier }) => sum + (multiplier === undefined ? 1 : 2), 0)
  return {
    *find(count, tieOrder) {
      const table = currentTable(cache, tableKey, fleet, lists)
      // a class that is being changed is not in the cache, so that none remains half changed if the generator does not end
      const known = yield* current(cache.classes.take(key), table)
      if (known === undefined) {
        cache.seen.set(key, { bytes: 0 })
        return undefined
      }
      const isScored = yield* known.score(terms, slice)
      cache.classes.set(key, known)
      const order = isScored ? table.order() : undefined
      const exceptions = exceptionsOf(asked)
      if (order === undefined || exceptions === undefined || exceptions.length > MAX_EXCEPTIONS) return undefined
      const before = exceptions.map((host) => known.verdicts[host] as number)
      for (const host of exceptions) known.set(host, verdictOfAll(host))
      try {
        known.build(order, terms)
        const best = findBest(known, terms, count, tieOrder, isByIndex)
        if (best === undefined) return undefined
        const rawAt = (rank: number) =>
          rawLists.map((list) => (list === undefined ? 0 : (table.scores[list]?.[best.hosts[rank] as HostIndex] as number)))
        const totalOf = (host: HostIndex) => (verdictOfAll(host) === PASSES ? best.totalOf(host) : undefined)
        const { hosts, totals, tied } = best
        return { hosts, totals, tied, filters: known.counts(names), passed: known.passed, totalOf, rawAt }
      } finally {
        for (const [i, host] of exceptions.entries()) known.set(host, before[i] as number)
      }
    },
  }
}

/** True if the verdicts of a filter can be kept, for all hosts or for all except a few. */
const isKept = ({ prepared, named, cacheName }: FilterStep): boolean =>
  prepared !== undefined && named === undefined && (cacheName !== undefined || prepared.exceptions !== undefined)

/** The hosts that filters whose verdicts are not kept can refuse, each once. Undefined if such a filter can refuse every host. */
function exceptionsOf(asked: readonly FilterStep[]): readonly HostIndex[] | undefined {
  const hosts = new Set<HostIndex>()
  for (const { prepared, cacheName } of asked) {
    if (cacheName !== undefined) continue
    const exceptions = prepared?.exceptions?.()
    if (exceptions === undefined) return undefined
    for (const host of exceptions) hosts.add(host)
  }
  return [...hosts]
}

function currentTable({ tables, classes }: ClassCache, key: string, fleet: Fleet, lists: number): ScoreTable {
  let table = tables.get(key)
  if (table?.isLargeEnough !== true) {
    const former = table
    table = new ScoreTable(fleet, lists)
    // a class keeps its table in memory, so the classes of tables that are dropped are dropped too
    const dropped = new Set([former, ...tables.set(key, table)])
    classes.deleteIf((known) => dropped.has(known.table))
  }
  table.follow()
  return table
}
