import { chooseWeigher, findNovaWeigher, NovaError, readNovaRequest, weighHosts } from '@gantt/scheduler-core/nova'
import { asList, asObject, asText, readCaseHost } from './case-host.ts'
import type { Case } from './cases.ts'
import { type Difference, differenceOf } from './verdicts.ts'

/** Checks the results of a weigher for several hosts: raw and normalised values, multipliers, weights and order. */
export function judgeWeigherCase(given: Case): Difference | undefined {
  const weigher = findNovaWeigher(asText(given.weigher, 'weigher'))
  const hosts = asList(given.hosts, 'hosts').map((host) => readCaseHost(host))
  const { request } = readNovaRequest(given.spec)
  const expected = asObject(given.expected, 'expected')
  try {
    const { runs, totals } = weighHosts([chooseWeigher(weigher, asObject(given.config, 'config'))], request, hosts)
    const run = runs[0]
    const names = hosts.map(({ host }) => host)
    const order = names.map((_, i) => i).sort((a, b) => (totals[b] as number) - (totals[a] as number))
    const actual: Readonly<Record<string, unknown>> = {
      error: null,
      minval: weigher.minval ?? null,
      raw: run?.raw,
      normalized: run?.normalised,
      multipliers: run?.multipliers,
      weights: totals,
      order: order.map((i) => names[i]),
      tie_groups: groupsOf(order, totals).map((group) => group.map((i) => names[i])),
    }
    const compared = Object.entries(expected).filter(([field]) => Object.hasOwn(actual, field))
    return differenceOf(Object.fromEntries(compared), Object.fromEntries(compared.map(([field]) => [field, actual[field]])), 'expected')
  } catch (error) {
    if (!(error instanceof NovaError)) throw error
    return differenceOf(expected.error ?? null, error.kind, 'expected.error')
  }
}

/** Splits a list of hosts into groups of neighbours with equal totals. */
export function groupsOf(order: readonly number[], totals: readonly number[]): readonly (readonly number[])[] {
  const groups: number[][] = []
  for (const i of order) {
    const last = groups.at(-1)
    if (last !== undefined && totals[last[0] as number] === totals[i]) last.push(i)
    else groups.push([i])
  }
  return groups
}
