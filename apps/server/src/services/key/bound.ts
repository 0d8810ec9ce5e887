import { type Claim, isFleetWide, scopeOf } from '@gantt/scheduler-core'
import { type Caller, mayDo } from '../../auth/caller.ts'
import { UnreadableDecisionError } from '../../db/tables/decisions.ts'
import { InputFault, type Issue, invalid, notFound } from '../calls/outcome.ts'
import type { ClaimOutcome, ClaimRef, Claims } from '../claim/claims.ts'
import type { Decisions, DecisionView } from '../decision/decisions.ts'
import type { TenantExplanations } from '../explanation/tenant-explanation.ts'
import type { LivenessService } from '../host/liveness.ts'
import { projectNoHostMessage } from '../placement/no-valid-host.ts'
import { type InstanceTaken, type NoHost, type Placement, parseSpec } from '../placement/placement.ts'
import type { Services } from '../services.ts'
import type { ReportInput } from '../stats/report-input.ts'
import { MAX_UPDATES, type ReportOutcome, type Stats } from '../stats/stats.ts'
import { foreignParts, foreignProfile, refused } from './own-request.ts'

/**
 * The services that a caller may use. A key that is bound to hosts or a project has access only to the objects of these hosts or this
 * project. Calls about objects of other hosts or projects are refused.
 */
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

const OF_ONE_HOST =
  'be a namespace whose documents concern only their host, because the key is bound to hosts: this one also counts for other hosts, so report it with a key that is not bound'

/**
 * Refuses each report for hosts to which the key is not bound, reports under a namespace that has an effect on other hosts, and reports of
 * more nodes than the key allows.
 */
function ofHosts(
  { stats, revision, leaving }: Pick<Services, 'stats' | 'revision' | 'leaving'>,
  hosts: readonly string[],
  maxNodes: number,
): Stats {
  return {
    ...stats,
    async update(reports) {
      const isBound = leaving.isBound(hosts)
      const isOwn = ({ name, namespace }: ReportInput): boolean =>
        isBound(name) && !(namespace !== undefined && isFleetWide(namespace.namespace))
      const refusal = ({ name, namespace }: ReportInput, i: number) => {
        const path = ['input', 'updates', String(i)]
        const issue = isBound(name)
          ? refused([...path, 'report', 'namespace', 'namespace'], namespace?.namespace, OF_ONE_HOST)
          : refused([...path, 'name', 'host'], name.host, 'be a host that the key is bound to')
        return invalid([issue], 'FORBIDDEN')
      }
      const own = reports.filter(isOwn)
      if (own.length === reports.length || reports.length > MAX_UPDATES) return stats.update(reports, { maxNodes, hosts })
      const answered = own.length > 0 ? await stats.update(own, { maxNodes, hosts }) : { results: [], revision: revision() }
      return { ...answered, results: merge<ReportInput, ReportOutcome>(reports, isOwn, answered.results, refusal) }
    },
  }
}

/** Refuses calls with signs of life of hosts to which the key is not bound. */
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

/** The outcomes for all items of a call: results for the items that the caller may use, refusals for the other items. */
function merge<Item, Outcome extends object>(
  items: readonly Item[],
  isOwn: (item: Item) => boolean,
  answers: readonly Outcome[],
  refuse: (item: Item, index: number) => Outcome,
): Outcome[] {
  let next = 0
  return items.map((item, index) => {
    const answer = isOwn(item) ? answers[next++] : undefined
    return answer === undefined ? refuse(item, index) : movedTo(answer, index)
  })
}

/**
 * Corrects an index in the path of a failure. The failure has the index among the items that the caller may use; the result has the index
 * among all items.
 */
function movedTo<Outcome extends object>(outcome: Outcome, index: number): Outcome {
  const moved = (path: readonly string[]): string[] => {
    const at = path.findIndex((part) => /^\d+$/.test(part))
    return path.map((part, i) => (i === at ? String(index) : part))
  }
  const { path, issues } = outcome as { readonly path?: readonly string[] | null; readonly issues?: readonly Issue[] }
  return {
    ...outcome,
    ...(path ? { path: moved(path) } : {}),
    ...(issues ? { issues: issues.map((each) => ({ ...each, path: moved(each.path) })) } : {}),
  }
}

/**
 * If the call fails because the instance already has a live claim, the answer contains the claim only if the claim belongs to the caller's
 * account.
 */
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

/** True if the instance of a claim belongs to the account. An instance that an operator moved still belongs to its account. */
const isOf = (claim: Claim | null | undefined, account: string): claim is Claim => !!claim && scopeOf(claim).account === account

const isTaken = (answer: { readonly type: string }): answer is InstanceTaken => answer.type === 'instance-taken'

/** Limits placement to requests of the project, and refuses requests in which hosts are named. */
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

/** Removes the names of existing profiles from an issue, because only operators may see these names. */
const withoutProfiles = (found: Issue): Issue =>
  found.code === 'profile.unknown' ? { ...found, message: 'There is no profile of that name.', expected: 'a profile' } : found

/** Removes host names from a refusal; the decision's `tenantExplanation` describes the cause. */
const withoutHosts = (answer: NoHost, asked: number): NoHost => ({
  ...answer,
  message: projectNoHostMessage(answer.placedCount, asked),
  reasons: [],
  cause: null,
})

/**
 * Limits access to the claims of the account's instances. Calls about other claims get the answer that the claim does not exist. The
 * account's instances are also the project's, because all keys of an account are bound to the same project.
 */
function ofAccount(claims: Claims, account: string): Claims {
  const isOwn = (id: string): boolean => isOf(claims.find(id), account)
  const each = async (refs: readonly ClaimRef[], act: (own: readonly ClaimRef[]) => Promise<ClaimOutcome[]>): Promise<ClaimOutcome[]> => {
    const own = refs.filter(({ id }) => isOwn(id))
    if (own.length === refs.length) return act(refs)
    const answers = own.length > 0 ? await act(own) : []
    const unknown = ({ id }: ClaimRef, i: number): ClaimOutcome => notFound('claim', id, ['claims', String(i)])
    return merge(refs, ({ id }) => isOwn(id), answers, unknown)
  }
  const redacted = async (outcomes: Promise<ClaimOutcome[]>): Promise<ClaimOutcome[]> => (await outcomes).map(withoutOperatorsWords)
  return {
    ...claims,
    find(id, fleet) {
      const found = claims.find(id, fleet)
      return isOf(found, account) ? ownWords(found) : undefined
    },
    confirm: (refs) => redacted(each(refs, (own) => claims.confirm(own))),
    extend: (refs, ttlMs) => redacted(each(refs, (own) => claims.extend(own, ttlMs))),
    release: (refs, reason) => redacted(each(refs, (own) => claims.release(own, reason))),
    abandon: async (caller, key) => withoutOperatorsWords(await claims.abandon(caller, key)),
  }
}

/** Removes the reason of a revocation, because it is written for operators and can name hosts. */
const ownWords = (claim: Claim): Claim => (claim.state === 'REVOKED' ? { ...claim, reason: null } : claim)

function withoutOperatorsWords(outcome: ClaimOutcome): ClaimOutcome {
  if (outcome.type === 'done') return { ...outcome, claims: outcome.claims.map(ownWords) }
  return outcome.type === 'claim-lost' ? { ...outcome, claim: outcome.claim && ownWords(outcome.claim) } : outcome
}

/** Limits decisions to those about requests of the project. Calls about other decisions get the answer that the decision does not exist. */
function decisionsOf(decisions: Decisions, project: string): Decisions {
  const isOwn = async (view: DecisionView): Promise<boolean> => (await view.load()).record.request.projectId === project
  return {
    ...decisions,
    async find(id) {
      const found = await decisions.find(id).catch(unlessUnreadable)
      return found !== undefined && (await isOwn(found)) ? found : undefined
    },
    async list({ query, filter = {}, ...page }) {
      // with filters by host, a project could find the host of an instance by trying names
      if (query) throw new InputFault([refused(['query'], query, 'be left out, because the key is bound to a project')])
      if (filter.host)
        throw new InputFault([refused(['filter', 'host'], filter.host, 'be left out, because the key is bound to a project')])
      const found = await decisions.list({ ...page, filter, query: `project:"${project.replace(/(["\\])/g, '\\$1')}"` })
      // errors in a record are shown to operators only
      return { ...found, unreadable: [] }
    },
  }
}

/** Returns undefined for an unreadable decision, because its project is not known. Throws every error that has a different cause. */
function unlessUnreadable(error: unknown): undefined {
  if (!(error instanceof UnreadableDecisionError)) throw error
}

/** Limits explanations to requests that the project itself may make. */
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
