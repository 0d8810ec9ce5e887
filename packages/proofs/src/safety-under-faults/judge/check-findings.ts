import { type FinalClaim, type FinalFinding, type FinalState, isLiveState, type Operation } from '../history.ts'
import { lastReportOf, sumOf } from './reported.ts'
import type { Evidence, Rule } from './rule.ts'

/** Checks that the auditor of each replica reports exactly the contradictions between hosts and claims. */
export const findingChecks: readonly Rule[] = [
  {
    name: 'the auditor finds the contradictions between hosts and claims, and nothing else',
    violations: ({ finals, ...seen }) =>
      finals.flatMap((final) => {
        const needed = neededFindings(seen, final)
        const found = new Set(final.findings.map(textOf))
        const there = new Set(needed.map(textOf))
        const where = `(replica ${final.replica})`
        return [
          ...[...found].filter((text) => !there.has(text)).map((text) => `found, but false: ${text} ${where}`),
          ...[...new Set(needed.map(({ code }) => code))]
            .flatMap((code) => notFound(code, needed, final))
            .map((text) => `${text} ${where}`),
        ]
      }),
  },
]

/**
 * The findings of one code that a replica must have but does not list. A replica lists only its first hundred findings, so for a code with
 * more findings only the counts are compared.
 */
function notFound(code: string, needed: readonly FinalFinding[], { findings, findingCounts }: FinalState): string[] {
  const ofCode = (all: readonly FinalFinding[]): string[] => [...new Set(all.filter((each) => each.code === code).map(textOf))]
  const count = findingCounts[code] ?? 0
  const isComplete = findings.filter((each) => each.code === code).length === count
  const [missing, found] = [ofCode(needed), ofCode(findings)]
  if (!isComplete) return count < missing.length ? [`not found: ${missing.length - count} of ${missing.length} ${code}`] : []
  return missing.filter((text) => !found.includes(text)).map((text) => `not found: ${text}`)
}

const textOf = ({ code, name, hosts }: FinalFinding): string =>
  [code, name, ...(hosts.length > 0 ? ['on', hosts.join(' and ')] : [])].join(' ')

/**
 * The findings that the auditor must report at the end, after hosts had time to start and remove instances according to their claims. They
 * are computed from the last reports and from the claims that a replica returns. There is at most one finding per host and code, even if
 * several classes are affected.
 */
export function neededFindings(
  { setting, history }: Pick<Evidence, 'setting' | 'history'>,
  { claims, hosts = [] }: Pick<FinalState, 'claims'> & Partial<Pick<FinalState, 'hosts'>>,
): FinalFinding[] {
  const live = claims.filter(({ state }) => isLiveState(state))
  const lists = new Map(setting.hosts.map(({ name }) => [name, lastReportOf(history, name)?.instances ?? null]))
  const instances = new Set(
    [...live, ...[...lists.values()].flatMap((list) => (list ?? []).map((instance) => ({ instance })))].map(({ instance }) => instance),
  )
  return [
    ...[...lists].flatMap(([host, list]) => [...aboutCapacity(host, hosts, live), ...aboutHost(host, history, live, list)]),
    ...[...instances].flatMap((instance) => (instance === null ? [] : aboutInstance(instance, live, lists))),
  ]
}

/**
 * The finding about a host whose capacity is less than its live claims hold. The capacity includes the values that operators set. A move on
 * the same host is counted once, with the larger of both sizes.
 */
function aboutCapacity(host: string, hosts: FinalState['hosts'], live: readonly FinalClaim[]): FinalFinding[] {
  const classes = hosts.find(({ name }) => name === host)?.classes ?? {}
  const there = live.filter((claim) => claim.host === host)
  const sources = there.filter(({ moveOf = null }) => !there.some(({ id }) => id === moveOf))
  const isShort = Object.entries(classes).some(([name, { capacity }]) => {
    const held = sources.map((source) =>
      Math.max(...[source, ...there.filter(({ moveOf }) => moveOf === source.id)].map(({ amounts }) => amounts[name] ?? 0)),
    )
    return held.reduce((sum, amount) => sum + amount, 0) > capacity
  })
  return isShort ? [{ code: 'capacity.below_claims', name: host, hosts: [] }] : []
}

function aboutHost(
  host: string,
  history: readonly Operation[],
  live: readonly FinalClaim[],
  list: readonly string[] | null,
): FinalFinding[] {
  const finding = (code: string, isSo: boolean): FinalFinding[] => (isSo ? [{ code, name: host, hosts: [] }] : [])
  const there = live.filter((claim) => claim.host === host)
  if (list === null) return finding('use.no_instances', there.length > 0)
  const used = lastReportOf(history, host)?.used ?? {}
  const listed = there.filter(({ instance }) => instance !== null && list.includes(instance))
  return [
    ...finding(
      'use.below_claims',
      Object.keys(used).some((name) => sumOf(listed, name) > (used[name] ?? 0)),
    ),
    ...finding(
      'instance.unclaimed',
      // A reservation on another host does not explain why this host lists the instance.
      list.some((one) => !live.some(({ instance, host: on, state }) => instance === one && (on === host || state !== 'RESERVED'))),
    ),
  ]
}

function aboutInstance(
  instance: string,
  live: readonly FinalClaim[],
  lists: ReadonlyMap<string, readonly string[] | null>,
): FinalFinding[] {
  const finding = (code: string, isSo: boolean, hosts: readonly string[] = []): FinalFinding[] =>
    isSo ? [{ code, name: instance, hosts }] : []
  const listers = [...lists].flatMap(([host, list]) => (list?.includes(instance) ? [host] : [])).sort()
  const claims = live.filter((claim) => claim.instance === instance)
  // A move that is not finished has two claims. Only the claim at its source is used here.
  const sources = claims.filter(({ moveOf = null }) => moveOf === null)
  const isBetweenEnds = sources.length < claims.length && listers.every((host) => claims.some((end) => end.host === host))
  // A reservation expires without a call, so its instance does not have to be listed.
  const isUnseen =
    claims.every(({ host }) => lists.has(host) && lists.get(host)?.includes(instance) !== true) &&
    sources.some(({ state }) => state === 'CONFIRMED')
  // If the report of a host has no list, the host can run the instance, so the instance is not missing.
  const isMissing = isUnseen && claims.every(({ host }) => lists.get(host) !== null)
  return [
    ...finding('instance.two_hosts', listers.length > 1 && !isBetweenEnds, listers),
    ...finding('instance.other_host', isUnseen && listers.length > 0),
    ...finding('instance.unlisted', isMissing && listers.length === 0),
    ...finding('instance.twice', sources.length > 1),
  ]
}
