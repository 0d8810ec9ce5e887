import {
  codes,
  type Fact,
  type Filter,
  type FilterOptions,
  type HostIndex,
  isStorable,
  type Multipliers,
  type PartList,
  type Parts,
  type PluginScheduler,
  type PreparedFilter,
  type Reads,
  type Reason,
  type Weigher,
} from '@gantt/scheduler-core'

/** Counts a failure of a plug-in's part (a filter, weigher or scheduler), and returns the error to throw. */
export type Fail = (part: string, what: string) => Error

/**
 * Functions that wrap a plug-in's part in this process and contain its failures. Failures of parts that run outside of this process are
 * contained by the code that calls those parts.
 */
export const containParts: { readonly [List in PartList]: (part: Parts[List], fail: Fail) => Parts[List] } = {
  filters: containFilter,
  weighers: containWeigher,
  schedulers: containScheduler,
  // failures of lease providers are contained where their leases are read (liveness/provided.ts)
  leaseProviders: (provider) => provider,
  // failures of namespaces are contained where documents are checked (outside/documents.ts)
  namespaces: (namespace) => namespace,
}

/** Wraps a filter. The wrapper throws an error that names the plug-in if the filter returns a value that its contract does not allow. */
function containFilter(filter: Filter, fail: Fail): Filter {
  const { name, description, parameters, readsHostOnly } = filter
  const wrong = (what: string, must: string): Error => fail(name, `${what}; it must ${must}`)
  const contain = (prepared: PreparedFilter): PreparedFilter => ({
    passes(host) {
      const verdict: unknown = attempt(name, fail, () => prepared.passes(host))
      if (verdict === true || verdict === false) return verdict
      throw wrong(`passes returned ${kindOf(verdict)}`, 'return true or false')
    },
    reason(host) {
      const reason: unknown = attempt(name, fail, () => prepared.reason(host))
      if (isReason(reason)) return reason
      throw wrong(`reason returned ${kindOf(reason)}`, 'return a known code, texts without NUL and halves of surrogate pairs, and numbers')
    },
    facts(host) {
      if (prepared.facts === undefined) return []
      const facts: unknown = attempt(name, fail, () => prepared.facts?.(host))
      if (Array.isArray(facts) && facts.every(isFact)) return facts
      throw wrong(`facts returned ${kindOf(facts)}`, 'return a list of facts, each with both sources')
    },
  })
  return {
    ...{ name, description, reads: readsOf(filter, fail) },
    ...(parameters !== undefined && { parameters }),
    ...(readsHostOnly === true && { readsHostOnly }),
    ...checkOf(filter),
    prepare(request, fleet, options) {
      const prepared: unknown = attempt(name, fail, () => filter.prepare(request, fleet, options))
      if (prepared === undefined) return undefined
      if (isPrepared(prepared)) return contain(prepared)
      throw wrong(`prepare returned ${kindOf(prepared)}`, 'return passes and reason, or undefined')
    },
  }
}

/** Wraps a weigher. The wrapper throws an error that names the plug-in if the weigher returns a value that its contract does not allow. */
function containWeigher(weigher: Weigher, fail: Fail): Weigher {
  const { name, description, unit, parameters, minval, readsHostOnly } = weigher
  const finite = (what: string, number: unknown): number => {
    if (typeof number === 'number' && Number.isFinite(number)) return number
    throw fail(name, `${what} returned ${kindOf(number)} for a host; it must return a finite number`)
  }
  return {
    ...{ name, description, unit, reads: readsOf(weigher, fail) },
    ...(parameters !== undefined && { parameters }),
    ...(minval !== undefined && { minval }),
    ...(readsHostOnly === true && { readsHostOnly }),
    ...checkOf(weigher),
    prepare(request, fleet, options, multiplier) {
      const rawOf: unknown = attempt(name, fail, () => weigher.prepare(request, fleet, options, multiplier))
      if (typeof rawOf !== 'function') throw fail(name, `prepare returned ${kindOf(rawOf)}; it must return a function`)
      return (host) =>
        finite(
          'it',
          attempt(name, fail, () => rawOf(host)),
        )
    },
    ...(weigher.multipliers !== undefined && {
      multipliers: (...given: Parameters<NonNullable<Weigher['multipliers']>>): Multipliers => {
        const [, , usual] = given
        try {
          const answer = attempt(name, fail, () => weigher.multipliers?.(...given))
          const own = answer?.own
          return {
            usual: finite('multipliers', answer?.usual),
            ...(own !== undefined && {
              own: {
                of: (host: HostIndex) =>
                  orElse(usual, () =>
                    finite(
                      'multipliers',
                      attempt(name, fail, () => own.of(host)),
                    ),
                  ),
                source: (host: HostIndex) => orElse(undefined, () => attempt(name, fail, () => own.source(host))),
              },
            }),
          }
        } catch {
          // The failure is already counted. The multiplier of the profile applies.
          return { usual }
        }
      },
    }),
    ...(weigher.cacheKey !== undefined && {
      cacheKey: (...given: Parameters<NonNullable<Weigher['cacheKey']>>) => {
        const key: unknown = orElse(undefined, () => attempt(name, fail, () => weigher.cacheKey?.(...given)))
        return typeof key === 'string' ? key : undefined
      },
    }),
  }
}

/** Wraps a scheduler. scheduler-core checks the hosts that the scheduler chooses, and calls `fail` to count an invalid choice. */
function containScheduler(scheduler: PluginScheduler, fail: Fail): PluginScheduler {
  const { name, description } = scheduler
  return {
    ...{ name, description },
    create(compiled) {
      const created = scheduler.create(compiled)
      return { select: (...asked) => withCaughtRejection(created.select(...asked)) }
    },
    fail: (what) => fail(name, what),
  }
}

type Part = Filter | Weigher

/**
 * The fields that a filter or weigher reads with the given options. Empty if the call of `reads` failed. The filter or weigher is then
 * called for every host.
 */
const readsOf = ({ name, reads }: Part, fail: Fail): Reads =>
  typeof reads !== 'function'
    ? reads
    : (options) =>
        orElse<ReturnType<typeof reads>>([], () => {
          const answer = attempt(name, fail, () => reads(options))
          const given: unknown = answer
          if (Array.isArray(given) && given.every((read) => typeof read === 'string')) return answer
          throw fail(name, `reads returned ${kindOf(answer)}; it must return a list of fields`)
        })

/** Converts any exception of an options check to a RangeError, which means that the options are refused. */
const checkOf = (part: Part): Pick<Part, 'checkOptions'> =>
  part.checkOptions === undefined
    ? {}
    : {
        checkOptions(options: FilterOptions) {
          try {
            part.checkOptions?.(options)
          } catch (error) {
            throw new RangeError(`${part.name}: ${messageOf(error)}`, { cause: error })
          }
        },
      }

function attempt<Answer>(part: string, fail: Fail, ask: () => Answer): Answer {
  try {
    return withCaughtRejection(ask())
  } catch (error) {
    throw fail(part, `it threw ${messageOf(error)}`)
  }
}

/** Returns the answer of a plug-in's part. A promise is not a valid answer, and its later rejection must not end the process. */
function withCaughtRejection<Answer>(answer: Answer): Answer {
  if (answer instanceof Promise) answer.catch(() => undefined)
  return answer
}

/** Calls a plug-in's part with `ask`, which counts a failure itself. Returns `otherwise` if the call fails. */
function orElse<Answer>(otherwise: Answer, ask: () => Answer): Answer {
  try {
    return ask()
  } catch {
    return otherwise
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : kindOf(error))

const kindOf = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'boolean' || value === undefined || value === null
    ? String(value)
    : value instanceof Promise
      ? 'a promise'
      : `a value of type ${typeof value}`

const isPrepared = (value: unknown): value is PreparedFilter =>
  isRecord(value) && typeof value.passes === 'function' && typeof value.reason === 'function'

const isReason = (value: unknown): value is Reason =>
  isRecord(value) &&
  typeof value.code === 'string' &&
  Object.hasOwn(codes, value.code) &&
  [value.subject, value.unit, value.source].every((text) => text === undefined || isText(text)) &&
  [value.need, value.have].every(isAmount)

const isFact = (value: unknown): value is Fact =>
  isRecord(value) &&
  typeof value.subject === 'string' &&
  [value.required, value.actual].every(isAmount) &&
  [value.requiredFrom, value.actualFrom].every(
    (source) => isRecord(source) && typeof source.kind === 'string' && typeof source.ref === 'string',
  )

const isAmount = (value: unknown): boolean => value === undefined || isText(value) || (typeof value === 'number' && Number.isFinite(value))

const isText = (value: unknown): boolean => typeof value === 'string' && isStorable(value)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => value !== null && typeof value === 'object'
