import type {
  Amounts,
  Answer,
  Call,
  ClaimState,
  FinalClaim,
  FinalFinding,
  FinalState,
  Group,
  Operation,
  Outcome,
  Place,
  PlacedClaim,
  Setting,
} from '../history.ts'
import { neededFindings } from '../judge/check-findings.ts'
import type { Evidence } from '../judge/rule.ts'

export const ANTI: Group = { uuid: 'anti', policy: 'ANTI_AFFINITY', maxServerPerHost: null }
export const TWO: Group = { uuid: 'two', policy: 'ANTI_AFFINITY', maxServerPerHost: 2 }
export const TOGETHER: Group = { uuid: 'together', policy: 'AFFINITY', maxServerPerHost: null }

/** Two hosts with a capacity of four VCPUs each. The first host uses one of them itself. */
export const setting: Setting = {
  units: { LICENCES: { min: 2, max: 6, step: 2 } },
  hosts: [
    { name: 'a', capacity: { VCPU: 4, GPU: 2 }, base: { VCPU: 1 } },
    { name: 'b', capacity: { VCPU: 4, GPU: 2 }, base: {} },
  ],
  groups: [ANTI, TWO, TOGETHER],
}

export const ok = (answer: Answer): Outcome => ({ type: 'ok', answer })
export const unknown: Outcome = { type: 'info', why: 'no answer' }

/** An operation that begins at time `at` and ends at `at + 1`. */
export const op = (at: number, call: Call, outcome: Outcome, replica = 0): Operation => ({
  client: 0,
  replica,
  invokedAt: at,
  endedAt: at + 1,
  call,
  outcome,
})

export const placing = (key: string, more: Partial<Place> = {}): Place => ({
  type: 'place',
  key,
  amounts: { VCPU: 1 },
  instances: [`i-${key}`],
  mode: 'CONFIRM',
  ttlMs: 0,
  group: null,
  moveOf: null,
  minRevision: null,
  ...more,
})

/** A claim for a test. Its id is the name of its instance with the prefix `c-`. */
export const claimOn = (host: string, instance: string, fence: number, state: ClaimState = 'CONFIRMED'): PlacedClaim => ({
  id: `c-${instance}`,
  instance,
  host,
  fence,
  state,
})

export const placed = (claims: readonly PlacedClaim[], { replayed = false, revision = 1 } = {}): Outcome =>
  ok({ type: 'placed', claims, replayed, revision })

/** A call that places one instance, with its answer. */
export const puts = (at: number, key: string, host: string, fence: number, more: Partial<Place> = {}): Operation =>
  op(at, placing(key, more), placed([claimOn(host, `i-${key}`, fence)], { revision: fence }))

export const ends = (
  at: number,
  type: 'confirm' | 'extend' | 'release',
  key: string,
  fence: number,
  end: 'done' | 'lost' = 'done',
  revision = 50,
): Operation => op(at, { type, claims: [{ id: `c-i-${key}`, fence }], ttlMs: 10 }, ok({ type: 'ends', results: [{ end, revision }] }))

export const stands = (host: string, key: string, fence: number, more: Partial<FinalClaim> = {}): FinalClaim => ({
  ...claimOn(host, `i-${key}`, fence),
  amounts: { VCPU: 1 },
  group: null,
  ...more,
})

/** The final state of a replica that has these claims and counts them correctly. `more` replaces parts of this state. */
export function shows(claims: readonly FinalClaim[], more: Partial<FinalState> = {}): FinalState {
  const live = claims.filter(({ state }) => ['RESERVED', 'CONFIRMED', 'MATERIALISED'].includes(state))
  return {
    replica: 0,
    claims,
    hosts: setting.hosts.map(({ name, capacity, base }) => {
      const there = live.filter(({ host }) => host === name)
      const used = sumOf(there.filter(isMaterialised), 'VCPU') + (base.VCPU ?? 0)
      const claimed = sumOf(
        there.filter((claim) => !isMaterialised(claim)),
        'VCPU',
      )
      const freeUnits = { GPU: (capacity.GPU ?? 0) - sumOf(there, 'GPU') }
      return { name, classes: { VCPU: { capacity: capacity.VCPU ?? 0, used, claimed } }, freeUnits }
    }),
    groups: setting.groups.map(({ uuid }) => {
      const members: Record<string, number> = {}
      for (const { host } of live.filter(({ group }) => group === uuid)) members[host] = (members[host] ?? 0) + 1
      return { uuid, members }
    }),
    // `evidence` computes the findings from the history.
    findings: [],
    findingCounts: {},
    ...more,
  }
}

const isMaterialised = ({ state }: FinalClaim): boolean => state === 'MATERIALISED'
const sumOf = (claims: readonly FinalClaim[], name: string): number =>
  claims.reduce((total, { amounts }) => total + (amounts[name] ?? 0), 0)

/** A call with a report that was accepted. */
export const reports = (at: number, host: string, instances: readonly string[] | null, used: Amounts): Operation =>
  op(at, { type: 'report', host, instances, used }, ok({ type: 'done' }))

/**
 * A history with the final states of replicas. Before the history begins, each host has reported the instances whose claims are
 * materialised on the first replica. The auditors report the correct findings.
 */
export function evidence(history: readonly Operation[], ...finals: readonly FinalState[]): Evidence {
  const truth = setting.hosts.map(({ name, base }) => {
    const there = (finals[0]?.claims ?? []).filter((claim) => claim.host === name && isMaterialised(claim))
    const used = { VCPU: sumOf(there, 'VCPU') + (base.VCPU ?? 0), GPU: sumOf(there, 'GPU') }
    return reports(
      0,
      name,
      there.flatMap(({ instance }) => instance ?? []),
      used,
    )
  })
  const seen = { setting, history: [...truth, ...history] }
  return { ...seen, finals: finals.map((final) => ({ ...final, ...findingsOf(neededFindings(seen, final)) })) }
}

/** Findings in the form in which a replica returns them. */
export function findingsOf(findings: readonly FinalFinding[]): Pick<FinalState, 'findings' | 'findingCounts'> {
  const findingCounts: Record<string, number> = {}
  for (const { code } of findings) findingCounts[code] = (findingCounts[code] ?? 0) + 1
  return { findings, findingCounts }
}
