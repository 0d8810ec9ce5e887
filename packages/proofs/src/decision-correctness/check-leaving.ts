import { type Fleet, isLive, publishedStats } from '@gantt/scheduler-core'
import { type CoreLog, getStats, PlanError, reportOf } from './core.ts'
import { difference } from './difference.ts'
import { claimsOn } from './model/fleet.ts'
import { comeBack, forget, presentAt, replace } from './model/leaving.ts'
import type { ModelFleet, ModelHost } from './model/state.ts'
import type { LeavingPlan, Plan } from './plan.ts'

/** Removes or replaces hosts as planned, and compares the effects on claims, keys and reports with the model's. */
export function leaveAndCompare(plan: Plan, { fleet, append }: CoreLog, model: ModelFleet): string | undefined {
  for (const [i, leaving] of plan.leaves.entries()) {
    const host = model.hosts[leaving.host]
    if (host === undefined || host.isGone) continue
    const { host: name, node } = host
    const answers = answersOf(fleet)
    const found =
      leaveOne(leaving, 2 + i, host, plan, { fleet, append }, model) ?? difference(`answers after ${name} left`, answersOf(fleet), answers)
    if (found !== undefined) return `${leaving.how} of ${name}/${node}: ${found}`
  }
  return undefined
}

function leaveOne(
  { host: position, how, to }: LeavingPlan,
  sequence: number,
  host: ModelHost,
  plan: Plan,
  { fleet, append }: CoreLog,
  model: ModelFleet,
): string | undefined {
  const from = { host: host.host, node: host.node }
  const stats = publishedStats(getStats(plan.hosts[position]?.stats ?? {}))
  const held = heldIn(fleet)
  if (how === 'replace') {
    const named = model.hosts[to]
    const isSame = named === undefined || (named.host === from.host && named.node === from.node)
    const next = isSame ? { host: `new${sequence}`, node: `new${sequence}` } : named
    const target = { host: next.host, node: next.node }
    const same = presentAt(model, target)
    const verdict = append({ type: 'replace', hosts: [{ from, to: target }], reason: 'drawn' })
    const keeps = same !== undefined && claimsOn(model, same).length > 0
    if (keeps) return difference('verdict', verdict, 'leave.has_claims') ?? difference('claims', heldIn(fleet), held)
    if (verdict !== undefined) return `the judge refused the change with ${verdict}; it must accept it`
    replace(model, host, target)
    return (
      difference('claims after the host was replaced', heldIn(fleet), held) ??
      difference('a report under the old name', append(reportOf(from.host, from.node, stats, 9)), 'report.host_replaced')
    )
  }
  const isForced = how !== 'forget'
  const mustStay = !isForced && claimsOn(model, host).length > 0
  const verdict = append({ type: 'forget', hosts: [from], isForced, reason: 'drawn' })
  if (mustStay) return difference('verdict', verdict, 'leave.has_claims') ?? difference('claims', heldIn(fleet), held)
  if (verdict !== undefined) return `the judge refused the change with ${verdict}; it must accept it`
  forget(model, host)
  const found =
    difference(
      'claims after the host was forgotten',
      heldIn(fleet),
      held.filter((line) => line[1] !== position),
    ) ?? difference('a report under its name', append(reportOf(from.host, from.node, stats, 9)), 'report.host_forgotten')
  if (found !== undefined || how !== 'back') return found
  const verdicts = [append({ type: 'readmit', ...from, reason: 'drawn' }), append(reportOf(from.host, from.node, stats, sequence))]
  if (verdicts.some((one) => one !== undefined)) throw new PlanError(`the plan is wrong: a host that comes back is ${verdicts.join(', ')}`)
  comeBack(model, host, getStats(plan.hosts[position]?.stats ?? {}))
  return undefined
}

/** All live claims, each as a list of its id, the index of its host, its fence, its group and its grants. */
const heldIn = ({ ledger }: Fleet): unknown[][] =>
  [...ledger.claims.values()].filter(isLive).map(({ id, host, fence, group, grants }) => [id, host, fence, group, grants])

/** The stored answers to earlier requests, sorted by idempotency key. */
const answersOf = ({ ledger }: Fleet): unknown[] => [...ledger.keys()].map(({ key, claims, answer }) => [key, claims, answer]).sort()
