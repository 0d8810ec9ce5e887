import { type Claim, scopeOf } from '@gantt/scheduler-core'
import { type Caller, mayDo } from '../auth/caller.ts'
import { UnreadableDecisionError } from '../db/decisions.ts'
import type { ClaimOutcome, ClaimRef, Claims } from './claims.ts'
import type { Decisions, DecisionView } from './decisions.ts'
import type { LivenessService } from './liveness.ts'
import { InputFault, type Issue, invalid, notFound } from './outcome.ts'
import { foreignParts, foreignProfile, refused } from './own-request.ts'
import { type InstanceTaken, type NoHost, type Placement, parseSpec } from './placement.ts'
import type { ReportInput } from './report-input.ts'
import type { Services } from './services.ts'
import { MAX_UPDATES, type ReportOutcome, type Stats } from './stats.ts'
import { noHostFoundMessage, type TenantExplanations } from './tenant-explanation.ts'

/** The services as a caller may use them: a key that is bound gets what it is bound to, and typed refusals for the rest. */
export function servicesFor(services: Services, caller: Pick<Caller, 'account' | 'hosts' | 'maxNodes' | 'project' | 'scopes'>): Services {
  const { hosts, maxNodes, project, account } = caller
  if (hosts.length > 0) return { ...services, stats: ofHosts(services, hosts, maxNodes), liveness: livenessOf(services, hosts) }
  if (project === null) return mayDo(caller, 'READ') ? services : ofReader(services, account)
  return {
    ...services,
    placement: ofProject(ofReader(services, account).placement, project),
    claims: ofAccount(services.claims, account),
    decisions: decisionsOf(services.decisions, project),
    tenantExplanations: explanationsOf(services.tenantExplanations, project),
  }
}

/** Reports for other hosts are refused, each for itself, and so are those of more nodes than the key states. */
function ofHosts(
  { stats, revision, leaving }: Pick<Services, 'stats' | 'revision' | 'leaving'>,
  hosts: readonly string[],
  maxNodes: number,
): Stats {
  const refusal = ({ name }: ReportInput, i: number) =>
    invalid([refused(['input', 'updates', String(i), 'name', 'host'], name.host, 'be a host that the key is bound to')], 'FORBIDDEN')
  return {
    ...stats,
    async update(reports) {
      const isBound = leaving.isBound(hosts)
      const isOwn = ({ name }: ReportInput): boolean => isBound(name)
      const own = reports.filter(isOwn)
      if (own.length === reports.length || reports.length > MAX_UPDATES) return stats.update(reports, { maxNodes })
      const answered = own.length > 0 ? await stats.update(own, { maxNodes }) : { results: [], revision: revision() }
      return { ...answered, results: merge<ReportInput, ReportOutcome>(reports, isOwn, answered.results, refusal) }
    },
  }
}

/** Signs of life of other hosts are refused, with the call. */
function livenessOf({ liveness, leaving }: Pick<Services, 'liveness' | 'leaving'>, hosts: readonly string[]): LivenessService {
  return {
    ...liveness,
    async heartbeat(names) {
      const isBound = leaving.isBound(hosts)
      const issues = names.flatMap((name, i) =>
        isBound(name) ? [] : [refused(['hosts', String(i), 'host'], name.host, 'be a host that the key is bound to')],
      )
      if (issues.length > 0) throw new InputFault(issues)
      return liveness.heartbeat(names)
    },
  }
}

/** Answers for the own among items, refusals for the others. */
function merge<Item, Outcome extends object>(
  items: readonly Item[],
  isOwn: (item: Item) => boolean,
  answers: readonly Outcome[],
  refuse: (item: Item, place: number) => Outcome,
): Outcome[] {
  let next = 0
  return items.map((item, place) => {
    const answer = isOwn(item) ? answers[next++] : undefined
    return answer === undefined ? refuse(item, place) : movedTo(answer, place)
  })
}

/** A failure that names an item by its place among fewer, naming its place among all. */
function movedTo<Outcome extends object>(outcome: Outcome, place: number): Outcome {
  const moved = (path: readonly string[]): string[] => {
    const at = path.findIndex((part) => /^\d+$/.test(part))
    return path.map((part, i) => (i === at ? String(place) : part))
  }
  const { path, issues } = outcome as { readonly path?: readonly string[] | null; readonly issues?: readonly Issue[] }
  return {
    ...outcome,
    ...(path ? { path: moved(path) } : {}),
    ...(issues ? { issues: issues.map((each) => ({ ...each, path: moved(each.path) })) } : {}),
  }
}

/** A claim that is in the way is named where it is of the caller's account: of others' the caller learns the rule alone. */
function ofReader(services: Services, account: string): Services {
  const { placement, relocation } = services
  const withoutOthers = <Answer extends { readonly type: string }>(answer: Answer | InstanceTaken): Answer | InstanceTaken =>
    isTaken(answer) && !isOf(answer.claim, account) ? { ...answer, claim: null } : answer
  return {
    ...services,
    placement: {
      ...placement,
      select: async (caller, input, request) => withoutOthers(await placement.select(caller, input, request)),
    },
    relocation: { ...relocation, claimOn: async (caller, input) => withoutOthers(await relocation.claimOn(caller, input)) },
  }
}

/** Whether the instance of a claim is the account's: an operator who moved it did not make it another's. */
const isOf = (claim: Claim | null | undefined, account: string): claim is Claim => !!claim && scopeOf(claim).account === account

const isTaken = (answer: { readonly type: string }): answer is InstanceTaken => answer.type === 'instance-taken'

/** Requests of the project, that name no host. */
function ofProject(placement: Placement, project: string): Placement {
  return {
    ...placement,
    async select(account, input) {
      const parsed = placement.read(account, input)
      if ('type' in parsed) return parsed
      const issues = [...foreignParts(parsed.value, project, input.spec.path), ...foreignProfile(input.profile, ['input', 'profile'])]
      if (input.mode === 'NONE')
        issues.push(refused(['input', 'claim', 'mode'], 'NONE', 'be RESERVE or CONFIRM for a key bound to a project'))
      if (input.intent !== 'CREATE' && input.intent !== 'UNSHELVE')
        issues.push(refused(['input', 'intent'], input.intent, 'be CREATE or UNSHELVE for a key bound to a project'))
      if (issues.length > 0) return invalid(issues, 'FORBIDDEN')
      const answer = await placement.select(account, input, parsed.value)
      if (answer.type === 'invalid') return invalid(answer.issues.map(withoutProfiles), answer.code)
      return answer.type === 'no-host' ? withoutHosts(answer, parsed.value.numInstances) : answer
    },
  }
}

/** Which profiles there are is the operators'. */
const withoutProfiles = (found: Issue): Issue =>
  found.code === 'profile.unknown' ? { ...found, message: 'There is no profile of that name.', expected: 'a profile' } : found

/** A refusal that tells of no host: what was in the way is told by the decision's `tenantExplanation`. */
const withoutHosts = (answer: NoHost, asked: number): NoHost => ({
  ...answer,
  message: noHostFoundMessage(answer.placedCount, asked),
  reasons: [],
  cause: null,
})

/** Claims of the account's instances; all keys of an account are bound to one project. Those of others are as if they were not there. */
function ofAccount(claims: Claims, account: string): Claims {
  const isOwn = (id: string): boolean => isOf(claims.find(id), account)
  const each = async (refs: readonly ClaimRef[], act: (own: readonly ClaimRef[]) => Promise<ClaimOutcome[]>): Promise<ClaimOutcome[]> => {
    const own = refs.filter(({ id }) => isOwn(id))
    if (own.length === refs.length) return act(refs)
    const answers = own.length > 0 ? await act(own) : []
    const unknown = ({ id }: ClaimRef, i: number): ClaimOutcome => notFound('claim', id, ['claims', String(i)])
    return merge(refs, ({ id }) => isOwn(id), answers, unknown)
  }
  const told = async (outcomes: Promise<ClaimOutcome[]>): Promise<ClaimOutcome[]> => (await outcomes).map(withoutOperatorsWords)
  return {
    ...claims,
    find(id, fleet) {
      const found = claims.find(id, fleet)
      return isOf(found, account) ? ownWords(found) : undefined
    },
    confirm: (refs) => told(each(refs, (own) => claims.confirm(own))),
    extend: (refs, ttlMs) => told(each(refs, (own) => claims.extend(own, ttlMs))),
    release: (refs, reason) => told(each(refs, (own) => claims.release(own, reason))),
    abandon: async (caller, key) => withoutOperatorsWords(await claims.abandon(caller, key)),
  }
}

/** Why a claim was revoked is written by operators for operators, and may name hosts. */
const ownWords = (claim: Claim): Claim => (claim.state === 'REVOKED' ? { ...claim, reason: null } : claim)

function withoutOperatorsWords(outcome: ClaimOutcome): ClaimOutcome {
  if (outcome.type === 'done') return { ...outcome, claims: outcome.claims.map(ownWords) }
  return outcome.type === 'claim-lost' ? { ...outcome, claim: outcome.claim && ownWords(outcome.claim) } : outcome
}

/** Decisions about requests of the project; others are as if they were not there. */
function decisionsOf(decisions: Decisions, project: string): Decisions {
  const isOwn = async (view: DecisionView): Promise<boolean> => (await view.load()).record.request.projectId === project
  return {
    ...decisions,
    async find(id) {
      const found = await decisions.find(id).catch(unlessUnreadable)
      return found !== undefined && (await isOwn(found)) ? found : undefined
    },
    async list({ query, filter = {}, ...page }) {
      // a filter by host tells where something is, one list after the other
      if (query) throw new InputFault([refused(['query'], query, 'be left out by a key bound to a project')])
      if (filter.host) throw new InputFault([refused(['filter', 'host'], filter.host, 'be left out by a key bound to a project')])
      const found = await decisions.list({ ...page, filter, query: `project:"${project.replace(/(["\\])/g, '\\$1')}"` })
      // what is wrong with a record is for operators
      return { ...found, unreadable: [] }
    },
  }
}

/** Whose a decision is that cannot be read is not known, so that it is nobody's. */
function unlessUnreadable(error: unknown): undefined {
  if (!(error instanceof UnreadableDecisionError)) throw error
}

/** Of requests that the project itself may make. */
const explanationsOf = (explanations: TenantExplanations, project: string): TenantExplanations => ({
  ...explanations,
  async ofSpec(spec, profile) {
    const parsed = parseSpec(spec)
    const issues = [
      ...('type' in parsed ? parsed.issues : foreignParts(parsed.value, project, spec.path)),
      ...foreignProfile(profile, ['profile']),
    ]
    if (issues.length > 0) throw new InputFault(issues)
    try {
      return await explanations.ofSpec(spec, profile)
    } catch (error) {
      throw error instanceof InputFault ? new InputFault(error.issues.map(withoutProfiles)) : error
    }
  },
})
