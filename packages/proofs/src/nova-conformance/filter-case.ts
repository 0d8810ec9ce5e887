import { findNovaFilter, NovaError, optionsOf, readNovaRequest } from '@gantt/scheduler-core/nova'
import { asObject, asText, readCaseHost, readTime } from './case-host.ts'
import type { Case } from './cases.ts'
import { type Difference, differenceOf } from './verdicts.ts'
import { numaLimitsOf } from './wire-form.ts'

/**
 * Checks a case of one filter, one host and one request. The recorded result is true, false, or the exception that Nova raised. Unless it
 * is true, the filter must refuse the host with a reason that has details, or raise an exception of Nova.
 */
export function judgeFilterCase(given: Case): Difference | undefined {
  const filter = findNovaFilter(asText(given.filter, 'filter'))
  const host = readCaseHost(given.host)
  const { request } = readNovaRequest(given.spec)
  const options = optionsOf(filter, asObject(given.config, 'config'))
  try {
    const check = filter.prepare(request, options, { now: readTime(given.now) })
    const reason = check?.(host)
    if (reason === undefined) {
      const { numaTopology } = check?.limits?.(host) ?? {}
      const limits = numaTopology === undefined ? null : numaLimitsOf(numaTopology)
      return differenceOf(given.expected, true, 'expected') ?? differenceOf(given.expected_limits ?? null, limits, 'expected_limits')
    }
    if (given.expected === true) return { path: 'expected', expected: true, actual: reason }
    const isBare = reason.need === undefined && reason.have === undefined && reason.subject === undefined
    return isBare ? { path: 'reason', expected: 'need, have or subject', actual: reason } : undefined
  } catch (error) {
    if (!(error instanceof NovaError)) throw error
    return given.expected === true ? { path: 'expected', expected: true, actual: `${error.kind}: ${error.message}` } : undefined
  }
}
