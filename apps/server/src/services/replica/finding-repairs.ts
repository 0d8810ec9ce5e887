import { randomUUID } from 'node:crypto'
import {
  type Change,
  compareNamed,
  compareWritten,
  copyFleet,
  DEFAULT_PROFILE,
  type Difference,
  ENTRY_FORMAT,
  type Fleet,
  type HostIndex,
  type HostRecord,
  hostAddress,
  type InstanceSize,
  isProposal,
  listingOf,
  parseRequestSpec,
  type RepairAction,
  type RepairOption,
  type RequestSpec,
  repairOf,
} from '@gantt/scheduler-core'
import { type Caller, mayDo } from '../../auth/caller.ts'
import { answerYielding } from '../../event-loop/query.ts'
import type { Replica } from '../../replica/replica.ts'
import type { Auditor, PresentFinding } from '../../replica/watch/auditor.ts'
import {
  type Failure,
  type FailureCode,
  type Invalid,
  invalid,
  issue,
  type NotFound,
  notFound,
  sentenceOf,
  under,
} from '../calls/outcome.ts'
import { checkName, checkText } from '../calls/text.ts'
import type { Decisions } from '../decision/decisions.ts'
import { requestFor } from '../move/relocation.ts'
import type { Placement } from '../placement/placement.ts'
import type { PlacementInput } from '../placement/placement-input.ts'

export interface RepairArgs {
  /** The id of the finding to repair. */
  readonly id: string
  /** The operator's reason, which is recorded. */
  readonly reason: string
  /** The name of the repair option; null if there is only one option. */
  readonly choose: string | null
  /** The size of the instance that gets a claim; null if the host's report contains the size. */
  readonly size: InstanceSize | null
  /** `project` and `account` are the owner of the instance that gets a claim. Null: no project, or the caller's account. */
  readonly project: string | null
  readonly account: string | null
  readonly dryRun: boolean
}

export interface RepairDone {
  readonly type: 'done'
  readonly finding: PresentFinding
  readonly dryRun: boolean
  /** The revision of the change; for a dry run, the revision of the state on which the change was tried. */
  readonly revision: number
  readonly count: number
  /** The differences that the repair makes, at most a hundred. */
  readonly differences: readonly Difference[]
}

/**
 * The failure if the finding does not exist any more or cannot be repaired by this call. The message states what to do. Nothing was
 * changed, unless the message states that a move is still open: the new claim of that move then exists.
 */
export interface RepairRefused extends Failure {
  readonly type: 'repair-refused'
}

export type RepairOutcome = RepairDone | RepairRefused | NotFound | Invalid

/** A repair option of a finding, in the form that operators see. */
export interface OfferedOption {
  readonly name: string
  readonly text: string
  /** True if the caller must state the size of the instance. */
  readonly asksSize: boolean
  /** True if the repair creates a claim. The caller may then state the project and the account of the instance. */
  readonly asksOwner: boolean
}

/** Repairs the violations and contradictions that the auditor found. */
export interface FindingRepairs {
  /**
   * The recommended action for a finding, and the options that `repair` accepts, as far as they follow from the hosts that the finding
   * names. If there are other options, or if there can be, the text says so: `repair` reads all hosts, and at most the first `MAX_OPTIONS`
   * options are returned here.
   */
  of(finding: PresentFinding): { readonly text: string; readonly options: readonly OfferedOption[] }
  /** Tries the repair on a copy of the fleet and returns the differences. Unless `dryRun` is true, the repair is then made. */
  repair(args: RepairArgs, caller: Pick<Caller, 'account' | 'scopes'>): Promise<RepairOutcome>
}

const MAX_DIFFERENCES = 100
const MAX_OPTIONS = 20
const MAX_NAME = 200

type Tried = Pick<RepairDone, 'revision' | 'count' | 'differences'>

/** A repair that places an instance. */
interface RepairPlan {
  readonly input: PlacementInput
  readonly request: RequestSpec
  /** The hosts that the repair affects. `claims` has the claims that it affects, in addition to the new claim of the instance. */
  readonly hosts: readonly HostIndex[]
  /** The only host on which the instance may be placed. */
  readonly to: HostRecord
  readonly claims: readonly string[]
}

export function createFindingRepairs({
  replica,
  auditor,
  decisions,
  placement,
}: {
  readonly replica: Replica
  readonly auditor: Auditor
  readonly decisions: Decisions
  readonly placement: Placement
}): FindingRepairs {
  const write = async (finding: PresentFinding, change: Change, dryRun: boolean): Promise<RepairOutcome> => {
    const before = copyFleet(replica.fleet)
    const tried = await tryOut(before, [change])
    if ('refusal' in tried) return refused(tried.refusal, ['id'])
    if (dryRun) return { type: 'done', finding, dryRun, ...tried }
    const [verdict] = await replica.propose([change])
    if (verdict?.void !== undefined) return refused(sentenceOf(verdict.void), ['id'])
    return { type: 'done', finding, dryRun, ...tried, revision: verdict?.revision ?? replica.fleet.place.revision }
  }

  const place = async (finding: PresentFinding, account: string, plan: RepairPlan, dryRun: boolean): Promise<RepairOutcome> => {
    const { input, request, hosts, claims, to } = plan
    const before = copyFleet(replica.fleet)
    const done = (after: Fleet, made: readonly string[], revision: number): RepairDone => {
      const all = compareNamed(before, after, hosts, [...claims, ...made])
      return { type: 'done', finding, dryRun, revision, count: all.length, differences: all.slice(0, MAX_DIFFERENCES) }
    }
    if (dryRun) {
      const after = copyFleet(before)
      const tried = await placement.tryOn(after, account, input, request)
      if (!('changes' in tried))
        return tried.type === 'placed'
          ? refused('The finding is already repaired, so that nothing would be written.', ['id'])
          : refusedAs(before, tried, to)
      const made = tried.changes.filter(isProposal).flatMap(({ parts }) => parts.map(({ claim }) => claim))
      const refusal =
        (await applyTo(after, tried.changes)) ?? (await applyTo(after, input.moveOf === null ? [] : made.map((id) => confirms(after, id))))
      return refusal === undefined ? done(after, made, before.place.revision) : refused(refusal, ['id'])
    }
    const outcome = await placement.select(account, input, request)
    if (outcome.type !== 'placed') return refusedAs(before, outcome, to)
    const made = outcome.destinations.flatMap(({ selected }) => selected.claim?.id ?? [])
    const ends = input.moveOf === null ? [] : made.map((id) => confirms(replica.fleet, id))
    const [verdict] = await replica.propose(ends)
    // a different call can have changed the move in the meantime; the new claim of this call remains
    if (verdict?.void !== undefined)
      return refused(`The claim has room there, and its move is still open. ${sentenceOf(verdict.void)}`, ['id'])
    return done(replica.fleet, made, verdict?.revision ?? outcome.revision)
  }

  const move = async (finding: PresentFinding, account: string, { claim, to }: Action<'move'>, dryRun: boolean): Promise<RepairOutcome> => {
    const stored = await decisions.stored(claim.decision)
    if (stored === undefined) {
      const cure = 'revoke the claim, and take the instance for one without'
      return refused(`The request of claim ${claim.id} is no longer known, so the claim cannot be moved: ${cure}.`, ['id'])
    }
    const asked = requestFor(replica.fleet, stored, claim)
    const input = inputOf(finding, { intent: 'LIVE_MIGRATE', moveOf: { id: claim.id, fence: claim.fence }, profile: stored.record.profile })
    const request = { ...asked, requestedDestination: { ...ANYWHERE, ...asked.requestedDestination, ...nameOf(to) } }
    return place(finding, account, { input, request, to, hosts: [claim.host, to.index], claims: [claim.id] }, dryRun)
  }

  const claimThere = async (
    finding: PresentFinding,
    account: string,
    { instance, on, reported }: Action<'claim'>,
    { size, project, dryRun }: RepairArgs,
  ): Promise<RepairOutcome> => {
    const taken = size ?? reported
    if (taken === null) return refused(`State the size of instance ${instance} (size): the report does not contain the size.`, ['size'])
    const { vcpus, memoryMib: memoryMb, diskGib: rootGb } = taken
    if (vcpus === 0 && memoryMb === 0 && rootGb === 0) return invalid([issue(['size'], taken, 'have at least one amount above 0')])
    const parsed = parseRequestSpec({
      flavor: { vcpus, memoryMb, rootGb },
      instanceUuids: [instance],
      projectId: project,
      requestedDestination: nameOf(on),
    })
    if (!parsed.ok) return invalid(under(['size'], parsed.problems))
    const input = { ...inputOf(finding, { intent: 'CREATE', moveOf: null, profile: DEFAULT_PROFILE }), isListed: true }
    return place(finding, account, { input, request: parsed.value, to: on, hosts: [on.index], claims: [] }, dryRun)
  }

  return {
    of(finding) {
      const { text, options } = repairOf(replica.fleet, finding)
      const some = first(options, MAX_OPTIONS + 1)
      const more =
        some.length > MAX_OPTIONS ? ` Only the first ${MAX_OPTIONS} options are shown; the names of others are accepted as well.` : ''
      return { text: `${text}${more}`, options: some.slice(0, MAX_OPTIONS).map(shownOf) }
    },
    async repair(args, caller) {
      const { id, reason, choose, project, account, dryRun } = args
      const issues = [
        ...checkText(['reason'], reason, { max: 1_000 }),
        ...(project === null ? [] : checkName(['project'], project, { max: MAX_NAME })),
        ...(account === null ? [] : checkName(['account'], account, { max: MAX_NAME })),
      ]
      if (issues.length > 0) return invalid(issues)
      await replica.fresh()
      const finding = auditor.find(id)
      if (finding === undefined) return notFound('finding', id, ['id'])
      const listing = finding.subject === 'instance' ? listingOf(replica.fleet, finding.name) : undefined
      const { text, options } = repairOf(replica.fleet, finding, listing)
      const option = chosen(options, choose, text)
      if ('type' in option) return option
      const { action } = option
      const stated = project !== null ? 'project' : account !== null ? 'account' : args.size !== null ? 'size' : undefined
      if (action.type !== 'claim' && stated !== undefined)
        return refused(
          `Leave ${stated} out: the repair ${option.name} creates no claim, so there is nothing to which ${stated} could apply.`,
          [stated],
        )
      if (account !== null && account !== caller.account && !mayDo(caller, 'ADMIN'))
        return refused('A key with ADMIN is needed to claim an instance for another account.', ['account'], 'FORBIDDEN')
      switch (action.type) {
        case 'nothing':
          return refused(action.why, ['choose'])
        case 'move':
          return move(finding, caller.account, action, dryRun)
        case 'claim':
          return claimThere(finding, account ?? caller.account, action, args)
        case 'change': {
          const change = action.toChange(reason)
          // the mutations hostReplace and hostForget, which make the same changes, also require the scope ADMIN
          if ((change.type === 'replace' || change.type === 'forget') && !mayDo(caller, 'ADMIN'))
            return refused('A key with ADMIN is needed to replace or forget a host.', ['choose'], 'FORBIDDEN')
          return write(finding, change, dryRun)
        }
      }
    },
  }
}

type Action<Type extends RepairAction['type']> = Extract<RepairAction, { readonly type: Type }>

const ANYWHERE = { aggregates: [], forbiddenAggregates: [] }

const nameOf = ({ host, node }: { readonly host: string; readonly node: string }) => ({ host, node })

const inputOf = ({ id }: PresentFinding, call: Pick<PlacementInput, 'intent' | 'moveOf' | 'profile'>): PlacementInput => ({
  ...call,
  spec: { issues: [], path: ['id'] },
  // a new key for each repair, because the finding can occur again
  idempotencyKey: `repair of ${id} ${randomUUID()}`,
  mode: 'CONFIRM',
  ttlMs: null,
  alternatesPerInstance: 0,
  allOrNothing: true,
  minRevision: null,
  deadlineMs: null,
})

const shownOf = ({ name, text, action }: RepairOption): OfferedOption => ({
  name,
  text,
  asksSize: action.type === 'claim' && action.reported === null,
  asksOwner: action.type === 'claim',
})

function first<Item>(items: Iterable<Item>, most: number): Item[] {
  const taken: Item[] = []
  for (const item of items) {
    if (taken.length === most) break
    taken.push(item)
  }
  return taken
}

/**
 * Returns the option that the operator names or, without a name, the only option. If there is no such option, returns a refusal that lists
 * the options.
 */
function chosen(options: Iterable<RepairOption>, name: string | null, text: string): RepairOption | RepairRefused {
  const some = first(options, MAX_OPTIONS + 1)
  const [only] = some
  if (only === undefined) return refused(`This call cannot repair the finding. ${text}`, ['id'])
  if (name === null && some.length === 1) return only
  for (const option of options) if (option.name === name) return option
  const names = some.slice(0, MAX_OPTIONS).map((option) => option.name)
  const all = `${names.join(', ')}${some.length > MAX_OPTIONS ? ' and more' : ''}`
  return refused(name === null ? `Choose one of ${all}, and pass it as choose.` : `There is no option ${name}. The options are ${all}.`, [
    'choose',
  ])
}

/** The differences that the changes would make, computed on a copy of the fleet. */
async function tryOut(before: Fleet, changes: readonly Change[]): Promise<Tried | { readonly refusal: string }> {
  const after = copyFleet(before)
  const refusal = await applyTo(after, changes)
  if (refusal !== undefined) return { refusal }
  return answerYielding(
    (function* () {
      const differences: Difference[] = []
      let count = 0
      for (const found of compareWritten(before, after)) {
        count += found.length
        differences.push(...found.slice(0, Math.max(0, MAX_DIFFERENCES - differences.length)))
        yield
      }
      return { revision: before.place.revision, count, differences }
    })(),
  )
}

/** Applies changes to a private fleet. If a change is void, returns a sentence about the first void change. */
async function applyTo(fleet: Fleet, changes: readonly Change[]): Promise<string | undefined> {
  const { place, now } = fleet
  const basis = { format: ENTRY_FORMAT, id: `dry run on ${place.id}`, writer: '', basis: place } as const
  const verdicts = await answerYielding(fleet.applyInSteps({ ...basis, changes, revision: place.revision + 1, at: now }))
  const refusal = verdicts.find((found) => found !== undefined)
  return refusal === undefined ? undefined : sentenceOf(refusal)
}

/** The change that ends a move. The claim then replaces its source claim. */
const confirms = ({ ledger }: Fleet, claim: string): Change => ({ type: 'confirm', claim, fence: ledger.claims.get(claim)?.fence ?? 0 })

const refused = (message: string, path: readonly string[], code: FailureCode = 'PRECONDITION'): RepairRefused => ({
  type: 'repair-refused',
  code,
  message,
  path,
})

const refusedAs = ({ hosts }: Fleet, { message }: Failure, to: HostRecord): RepairRefused =>
  refused(`A claim for the instance on ${hostAddress(hosts, to)} is not possible. ${message}`, ['id'])
