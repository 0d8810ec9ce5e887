import {
  type Check,
  type ClaimsProposed,
  contributionAt,
  type Decided,
  type Examination,
  FEATURE_LEVEL,
  type Fleet,
  PASSES_ALL,
  type Profile,
} from '@gantt/scheduler-core'
import { compareCapacity } from './check-capacity.ts'
import { compareFacts } from './check-facts.ts'
import { leaveAndCompare } from './check-leaving.ts'
import { compareWeights } from './check-weights.ts'
import { compareCounterfactuals } from './check-what-would-fit.ts'
import { compareFindings } from './check-world.ts'
import {
  asStored,
  type Core,
  decideOn,
  getProfile,
  getRequest,
  getStats,
  openLog,
  PlanError,
  proposalOf,
  publishedStats,
  reportOf,
} from './core.ts'
import { difference } from './difference.ts'
import { countAnew, override } from './model/allocation.ts'
import { decideAsModel, groupOf, type ModelDecision, type ModelInstance } from './model/decide.ts'
import { boundGroup, isClaimed, releaseReservations, report, wantsApartTooLate } from './model/fleet.ts'
import type { Refusal } from './model/refusal.ts'
import type { ModelFleet } from './model/state.ts'
import type { Plan, Question } from './plan.ts'

/** The result of a case: the first difference between core and model, if any, and the model's decision. */
export interface Outcome {
  /** Undefined if core and model agree to the last bit. */
  readonly difference: string | undefined
  readonly decision: ModelDecision
  readonly profile: Profile
}

/**
 * Decides the case with the core and with the model, starting with an empty fleet. Compares the records of every decision. For the last
 * decision it also compares the replay of the record, every filter's verdict on every host, the counts of hosts and reasons, and all
 * scores.
 */
export function checkPlan(plan: Plan, core: Core): Outcome {
  const profile = getProfile(plan.profile)
  const log = openLog()
  const { fleet, append } = log
  const model: ModelFleet = {
    ...{ hosts: [], aggregates: [...plan.aggregates], claims: [] },
    allocation: plan.allocation ?? { release: null, classes: {} },
  }
  setUp(plan, profile, append, model)
  const before: ClaimsProposed[] = []
  const logged = Math.max(0, plan.earlier.length - (plan.isBatched ? 1 : 0))
  // Hosts leave and report again before the earlier request with this index. That must not happen between requests whose claims are
  // proposed in one entry, because such requests are decided on the same state.
  const reportsBefore = Math.min(1, logged)
  for (const [i, question] of plan.earlier.entries()) {
    const inWorld = i === reportsBefore ? changeWorld() : undefined
    const decided = decideOn(core, fleet, before, profile, question, `d${i}`)
    const expected = decideAsModel(model, { ...question, request: getRequest(question.request), profile })
    const found = inWorld ?? compareDecisions(`earlier ${i}`, decided, expected, model)
    if (found !== undefined) return { difference: found, decision: expected, profile }
    if (expected.placed.length === 0) continue
    const isLogged = i < logged
    const request = getRequest(question.request)
    const isReleased = isLogged && i >= reportsBefore && plan.released.includes(i) && listNothing(expected)
    const proposal = proposalOf(decided, request, isReleased)
    if (!isLogged) before.push(proposal)
    const verdict = isLogged ? append(proposal) : undefined
    const bound = groupOf(request)
    const other = bound === null ? undefined : boundGroup(model, bound.uuid)
    const isApartTooLate = bound !== null && wantsApartTooLate(model, bound)
    const isBoundOtherwise = isApartTooLate || (other !== undefined && (other.policy !== bound?.policy || other.most !== bound.most))
    const isTaken = expected.placed.some(({ instance }) => instance !== null && isClaimed(model, instance))
    const expectedVerdict = !isLogged ? undefined : isBoundOtherwise ? 'claim.group_mismatch' : isTaken ? 'claim.instance_taken' : undefined
    if (verdict !== expectedVerdict)
      return { difference: `earlier ${i}: the claim is ${verdict}, expected ${expectedVerdict}`, decision: expected, profile }
    if (verdict !== undefined) continue
    if (isReleased) {
      releaseAll(proposal, log)
      releaseReservations(model, expected.placed, bound)
      continue
    }
    for (const { host, instance, takes } of expected.placed)
      model.claims.push({ host, instance, group: bound, takes, isListed: false, isHeldInAddition: false, isLogged })
  }
  const inWorld = (plan.earlier.length <= reportsBefore ? changeWorld() : undefined) ?? compareFindings(core, fleet, model)
  const { difference: inDecision, decision } = checkQuestion(core, fleet, before, model, profile, plan.question)
  const found = inWorld ?? inDecision
  const { request: input, seed, alternates, allOrNothing } = plan.question
  const request = getRequest(input)
  const inMore =
    found ??
    (plan.countsCapacity ? compareCapacity(core, fleet, model, request, profile, seed) : undefined) ??
    (plan.triesWeights ? checkWeights() : undefined) ??
    (plan.triesChanges ? compareCounterfactuals(core, fleet, request, profile, seed) : undefined)
  return { difference: inMore, decision, profile }

  /** Removes hosts, sets operators' values and applies later reports, in the log and in the model. Then compares the auditor's findings. */
  function changeWorld(): string | undefined {
    const found = leaveAndCompare(plan, log, model)
    if (found === undefined) overrideHosts(plan, true, append, model)
    if (found === undefined) reportAgain(plan, append, model)
    return found ?? compareFindings(core, fleet, model)
  }

  function checkWeights(): string | undefined {
    const { record } = decideOn(core, fleet, before, profile, plan.question, 'w')
    const question = { request, profile, seed, alternates, allOrNothing }
    return core.examineAgain(fleet, before, record, 0, (examined) => compareWeights(examined, model, question))
  }
}

/** True if no host of the decision lists its instances. Otherwise, what a released claim still holds depends on the list. */
const listNothing = ({ placed }: ModelDecision): boolean => placed.every(({ host }) => host.reported.instances === null)

/** Releases all claims of a proposal. */
function releaseAll({ parts }: ClaimsProposed, { fleet, append }: ReturnType<typeof openLog>): void {
  for (const { claim } of parts) {
    const verdict = append({ type: 'release', claim, fence: fleet.ledger.claims.get(claim)?.fence ?? 0, reason: null })
    if (verdict !== undefined) throw new PlanError(`the plan is wrong: its release is ${verdict}`)
  }
}

function setUp(plan: Plan, profile: Profile, append: ReturnType<typeof openLog>['append'], model: ModelFleet): void {
  const must = (change: Parameters<typeof append>[0]): void => {
    const verdict = append(change)
    if (verdict !== undefined) throw new PlanError(`the plan is wrong: its ${change.type} is ${verdict}`)
  }
  must({ type: 'feature', level: FEATURE_LEVEL })
  must({ type: 'profile', profile })
  for (const { host, node, stats: given, status, liveness } of plan.hosts) {
    const stats = getStats(given)
    must(reportOf(host, node, publishedStats(stats), 1))
    if (status !== 'ENABLED') must({ type: 'status', host, node, status, reason: 'drawn' })
    if (liveness !== 'UP') must({ type: 'liveness', host, node, state: liveness, reason: 'drawn' })
    const inventory = { reported: stats, stats, overrides: {}, present: stats.instances ?? [] }
    model.hosts.push({ host, node, ...inventory, status, liveness, isGone: false })
  }
  for (const { uuid, ...next } of plan.aggregates) must({ type: 'aggregate', uuid, expectedVersion: 0, next })
  if (plan.allocation !== null) must({ type: 'fleetAllocation', expectedVersion: 0, ...plan.allocation, by: 'truth', reason: 'drawn' })
  countAnew(model)
  overrideHosts(plan, false, append, model)
}

function overrideHosts({ overrides }: Plan, isLate: boolean, append: ReturnType<typeof openLog>['append'], model: ModelFleet): void {
  for (const { host: position, isLate: comesLate, ...edit } of overrides) {
    const host = model.hosts[position]
    if (host === undefined || host.isGone || comesLate !== isLate) continue
    const verdict = append({ type: 'hostAllocation', host: host.host, node: host.node, ...edit, by: 'truth', reason: 'drawn' })
    if (verdict !== undefined) throw new PlanError(`the plan is wrong: its override is ${verdict}`)
    override(model, host, edit)
  }
}

function reportAgain({ reports }: Plan, append: ReturnType<typeof openLog>['append'], model: ModelFleet): void {
  for (const { host: position, stats: reported } of reports) {
    const host = model.hosts[position]
    if (host === undefined || host.isGone) continue
    const stats = getStats(reported)
    const verdict = append(reportOf(host.host, host.node, publishedStats(stats), 10))
    if (verdict !== undefined) throw new PlanError(`the plan is wrong: its later report is ${verdict}`)
    report(model, host, stats)
  }
}

function checkQuestion(
  core: Core,
  fleet: Fleet,
  before: readonly ClaimsProposed[],
  model: ModelFleet,
  profile: Profile,
  question: Question,
): Omit<Outcome, 'profile'> {
  const decision = decideAsModel(model, { ...question, request: getRequest(question.request), profile })
  const answer = (found: string | undefined) => ({ difference: found, decision })
  const decided = decideOn(core, fleet, before, profile, question, 'd')
  const inRecord = compareDecisions('recorded', decided, decision, model)
  if (inRecord !== undefined) return answer(inRecord)
  const { record: stored, answer: storedAnswer } = asStored(decided)
  const inStore = difference('stored', { stored, storedAnswer }, { stored: decided.record, storedAnswer: decided.answer })
  if (inStore !== undefined) return answer(inStore)
  const again = core.replay(fleet, before, stored)
  const inReplay = compareDecisions('replayed', again, decision, model) ?? difference('replayed.record', again.record, stored)
  if (inReplay !== undefined) return answer(inReplay)
  for (const [i, instance] of decision.instances.entries()) {
    const inMatrix = core.examineAgain(fleet, before, stored, i, (examined) =>
      compareExaminations(`instance ${i}`, fleet, examined, instance),
    )
    if (inMatrix !== undefined) return answer(inMatrix)
  }
  return answer(undefined)
}

/** Compares the record, the answer and the claims of a decision with the model's decision. */
function compareDecisions(
  path: string,
  { record, answer, parts, found }: Decided,
  model: ModelDecision,
  { hosts }: ModelFleet,
): string | undefined {
  return difference(
    path,
    {
      found,
      instances: record.instances,
      answer,
      parts: parts.map(({ instance, host, node, grants }) => ({ instance, host, node, grants })),
    },
    {
      found: model.found,
      instances: model.instances.map(toRecord),
      answer: model.placed.map(({ instance, selected, alternates }) => ({ instance, selected, alternates })),
      parts: model.placed.map(({ instance, host: { host, node }, takes }) => ({ instance, host, node, grants: takes })),
    },
  )

  function toRecord({ counts, ranked, tied, hosts: candidates }: ModelInstance) {
    const best = ranked.slice(0, 10).map(({ host, raw, total }) => ({ ...nameOf(host), raw, total }))
    return { candidates, filters: counts, best, tied }
  }

  function nameOf(position: number) {
    const host = hosts[position]
    return { host: host?.host, node: host?.node }
  }
}

/** Compares with the model: every filter's verdict on every host, the counts of hosts and reasons, and all parts of the scores. */
function compareExaminations(path: string, fleet: Fleet, examined: Examination, model: ModelInstance): string | undefined {
  const { steps, weighed, ranked, firstRefusing, hostCount } = examined
  const names = steps.map(({ filter }) => filter)
  for (const { index, host } of fleet.hosts.present) {
    const checks = model.checks[index] ?? []
    const checked = examined.checksOf(index)
    const first = checks.findIndex(({ verdict }) => verdict === 'FAIL')
    const inChecks =
      difference(
        `${path}.checks of ${host}`,
        checked.map((check, i) => toModelCheck(check, checks[i]?.refusal)),
        checks,
      ) ??
      difference(
        `${path}.first refusing filter of ${host}`,
        names[firstRefusing[index] ?? PASSES_ALL] ?? 'none',
        checks[first]?.filter ?? 'none',
      ) ??
      firstOf(checked, ({ filter, facts = [] }, i) =>
        compareFacts(`${path}.${filter} of ${host}`, facts, checks[i]?.refusal ?? { code: '' }),
      )
    if (inChecks !== undefined) return inChecks
  }
  const refused = steps.flatMap(({ reasons }) => reasons).reduce((sum, { hosts }) => sum + hosts, 0)
  if (refused + weighed.hosts.length !== hostCount || hostCount !== model.hosts)
    return `${path}: ${refused} refused and ${weighed.hosts.length} passed are not the fleet of ${model.hosts}`
  const scores = ranked.map((position) => {
    const contributions = weighed.weighers.map((scored) => contributionAt(scored, position))
    let sum = 0
    for (const contribution of contributions) sum += contribution
    const total = weighed.totals[position] as number
    return { host: weighed.hosts[position], raw: weighed.weighers.map(({ raw }) => raw[position]), contributions, total, sum }
  })
  return (
    difference(`${path}.steps`, steps.map(toCounts), countsOf(model)) ??
    difference(
      `${path}.scores`,
      scores,
      model.ranked.map((score) => ({ ...score, sum: score.total })),
    )
  )

  function toCounts({ filter, asked, entered, passed, soleRejections, reasons }: Examination['steps'][number]) {
    const byCode = Object.fromEntries(reasons.map(({ code, hosts }) => [code, hosts]))
    return { filter, asked, entered, passed, soleRejections, reasons: byCode }
  }
}

/**
 * Converts a filter's verdict from the core's form to the model's form. `need` and `have` are kept only if the model computes them. Some
 * texts for people, such as long lists, are not computed by the model.
 */
function toModelCheck({ filter, verdict, reason }: Check, refusal: Refusal | undefined) {
  if (reason === undefined) return { filter, verdict }
  const { code, need, have } = reason
  const stated = { code, ...(refusal?.need !== undefined && { need }), ...(refusal?.have !== undefined && { have }) }
  return { filter, verdict, refusal: stated }
}

function firstOf<T>(list: readonly T[], find: (item: T, position: number) => string | undefined): string | undefined {
  for (const [i, item] of list.entries()) {
    const found = find(item, i)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * For each filter: how many hosts reached and passed it, how many it alone refused, and the reasons. Computed from the model's verdicts.
 */
function countsOf({ checks, filters, hosts }: ModelInstance) {
  let entered = hosts
  return filters.map(({ filter, asked }, s) => {
    const firstHere = checks.filter((host) => host.findIndex(({ verdict }) => verdict === 'FAIL') === s)
    const reasons: Record<string, number> = {}
    for (const host of firstHere) {
      const code = host[s]?.refusal?.code ?? ''
      reasons[code] = (reasons[code] ?? 0) + 1
    }
    const soleRejections = firstHere.filter((host) => host.filter(({ verdict }) => verdict === 'FAIL').length === 1).length
    const counts = { filter, asked, entered, passed: entered - firstHere.length, soleRejections, reasons }
    entered = counts.passed
    return counts
  })
}
