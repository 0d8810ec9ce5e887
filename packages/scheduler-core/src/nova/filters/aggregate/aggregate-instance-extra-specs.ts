import { bareAndOf, bareOrOf } from '../../../request/request-reads.ts'
import { shortList } from '../../../text/short-list.ts'
import { aggregatesWith, splitValues } from '../../../weighers/aggregate-metadata.ts'
import { checkEach, novaFilter } from '../../parts/nova-filter.ts'
import { match } from '../../text/extra-spec-match.ts'
import { NovaError } from '../../text/nova-error.ts'

const SCOPE = 'aggregate_instance_extra_specs'

/**
 * Passes hosts whose aggregates have the metadata that the flavor's extra specs require. It checks extra specs with the scope
 * `aggregate_instance_extra_specs` or without a scope, and ignores other extra specs.
 */
export const aggregateInstanceExtraSpecsFilter = novaFilter({
  name: 'AggregateInstanceExtraSpecsFilter',
  description: "The metadata of the host's aggregates match the flavor's extra specs.",
  admits: {
    by: 'property',
    which: ({ flavor }) => `in aggregates with ${shortList(bareAndOf(SCOPE, flavor.extraSpecs).map((pair) => pair.join(' = ')))}`,
  },
  reads: [],
  cachedBy: ['flavor'],
  readsMetadata: [{ key: '*', by: 'extra specs of flavors' }],
  readsRequest: { extraSpecs: bareOrOf(SCOPE) },
  oncePerRequest: true,
  prepare({ flavor: { extraSpecs } }) {
    const asked = Object.entries(extraSpecs ?? {}).flatMap(([spec, need]) => {
      const colon = spec.indexOf(':')
      if (colon === -1) return { key: spec, need }
      return spec.slice(0, colon) === SCOPE ? { key: spec.slice(colon + 1), need } : []
    })
    if (asked.length === 0) return undefined
    return checkEach(
      asked.map(({ key, need }) => ({
        which: `in aggregates with ${key} = ${need}`,
        check(host) {
          const values = splitValues(host, key)
          if (values !== undefined && someMatches(values, need)) return undefined
          const have = values === undefined ? 'nothing' : [...values].join(', ')
          return { code: 'aggregate.extra_spec', subject: key, need, have, source: aggregatesWith(host, key) }
        },
      })),
    )
  },
})

/**
 * Returns true if one of the values matches the requirement. Nova compares the values in the order of a Python set, and raises an exception
 * if a value that cannot be compared comes before a match. This order is undefined, except that the empty text comes first. So here an
 * error is thrown only if the empty text cannot be compared, or if no value matches and another value cannot be compared.
 */
function someMatches(values: ReadonlySet<string>, need: string): boolean {
  let failure: NovaError | undefined
  for (const value of values.has('') ? ['', ...values] : values) {
    try {
      if (match(value, need)) return true
    } catch (error) {
      if (value === '' || !(error instanceof NovaError)) throw error
      failure = error
    }
  }
  if (failure !== undefined) throw failure
  return false
}
