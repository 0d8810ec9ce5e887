import {
  type Claim,
  counted,
  type Fleet,
  type HostForgotten,
  type HostName,
  type HostRecord,
  type HostReplaced,
  hostAddress,
  isLive,
  nameAfter,
  refusesReplace,
  replacementOf,
  type Void,
} from '@gantt/scheduler-core'
import { answerYielding } from '../../event-loop/query.ts'
import type { Replica } from '../../replica/replica.ts'
import { type Failure, type Invalid, invalid, issue, type NotFound, notFound, sentenceOf } from '../calls/outcome.ts'
import { checkHostName, checkText } from '../calls/text.ts'
import { snapshotOf } from '../moments/snapshots.ts'
import { type HostView, viewHost } from './host-view.ts'
import type { HostNameInput } from './hosts.ts'
import { claimsOn, impactOfLeaving, type LeavingImpact, LISTED_CLAIMS, NO_IMPACT } from './leaving-impact.ts'

const MAX_HOSTS = 1_000

export interface LeavingDone {
  readonly type: 'done'
  readonly hosts: readonly HostView[]
  readonly impact: LeavingImpact
  /** True if nothing was written because every host had the requested state before the call. */
  readonly unchanged: boolean
  readonly dryRun: boolean
  readonly revision: number
}

export interface ReplaceDone extends LeavingDone {
  /** Hosts that already had the new names, and are therefore merged with the replaced hosts. */
  readonly merged: readonly HostView[]
}

/**
 * The failure if hosts cannot leave or be merged because they have live claims, or because the count of these claims differs from the count
 * that the caller expects. Nothing was changed.
 */
export interface HostHasClaims extends Failure {
  readonly type: 'host-has-claims'
  readonly claims: readonly Claim[]
  readonly claimCount: number
}

/** Forgets, readmits and replaces hosts (docs/hosts-leave.md). */
export interface Leaving {
  forget(input: {
    readonly hosts: readonly HostNameInput[]
    readonly force: boolean
    /** How many live claims the caller expects to end. The call is refused if the count differs. Absent: any count is accepted. */
    readonly expectedClaims?: number | null
    readonly reason: string
    readonly dryRun: boolean
  }): Promise<LeavingDone | HostHasClaims | NotFound | Invalid>
  readmit(host: HostNameInput, reason: string): Promise<LeavingDone | NotFound | Invalid>
  replace(input: {
    readonly host: HostNameInput
    readonly by: HostNameInput
    readonly reason: string
    readonly dryRun: boolean
  }): Promise<ReplaceDone | HostHasClaims | NotFound | Invalid>
  /**
   * Returns a test of whether a key that is bound to host names may report for a host. The key may report for hosts with these names. If
   * such a host was replaced, the key may also report under its new name. If the new name already belonged to other nodes, the key may
   * report only for the node of the replaced host.
   */
  isBound(names: readonly string[]): (host: HostNameInput) => boolean
}

export function createLeaving(replica: Replica): Leaving {
  /**
   * Forgets hosts with one log entry. Returns the verdict and the claims that the entry ended. Reservations that had expired before the
   * entry are not returned. The claims are collected from those that the entry changed. A search of all ended claims would take long,
   * because the fleet stores them in packed form.
   */
  const proposeForget = async (change: HostForgotten, leaving: readonly HostRecord[]) => {
    const left = new Set(leaving.map(({ index }) => index))
    const endedAt = new Map<number, Claim[]>()
    const stop = replica.onApplied(({ entry: { changes, revision } }) => {
      if (!changes.some(({ type }) => type === 'forget')) return
      const ended = [...replica.fleet.ledger.changed].filter(
        (claim) => left.has(claim.host) && claim.revision === revision && !isLive(claim) && claim.state !== 'EXPIRED',
      )
      endedAt.set(
        revision,
        ended.sort((a, b) => a.fence - b.fence),
      )
    })
    const [verdict] = await replica.propose([change]).finally(stop)
    return { verdict, ended: endedAt.get(verdict?.revision ?? replica.fleet.place.revision) ?? [] }
  }
  const viewsOf = (records: readonly HostRecord[]): HostView[] => records.map((record) => viewHost(replica.fleet, record))
  const records = (indexes: readonly HostRecord['index'][], { hosts }: Fleet = replica.fleet): HostRecord[] =>
    indexes.map((index) => hosts.get(index))
  const presentOf = ({ host, node }: HostNameInput, fleet: Fleet = replica.fleet): HostRecord[] =>
    records(fleet.hosts.nodesOf(host), fleet).filter((record) => typeof node !== 'string' || record.node === node)
  const forgottenOf = ({ host, node }: HostNameInput, fleet: Fleet = replica.fleet): HostRecord[] =>
    records(fleet.hosts.forgottenNodesOf(host), fleet).filter((record) => typeof node !== 'string' || record.node === node)
  const isFormer = (record: HostRecord, { host, node }: HostNameInput): boolean =>
    record.formerNames.some((former) => !former.isFree && former.host === host && (typeof node !== 'string' || former.node === node))
  const renamedOf = (name: HostNameInput): HostRecord[] =>
    records(replica.fleet.hosts.renamedNodesOf(name.host)).filter((record) => isFormer(record, name))
  /** The failure that lists the live claims on hosts. */
  const hasClaims = async (all: readonly HostRecord[], cure: string, path: readonly string[]): Promise<HostHasClaims> => {
    const fleet = snapshotOf(replica)
    const now = records(
      all.map(({ index }) => index),
      fleet,
    )
    const claims = await answerYielding(claimsOn(fleet, now))
    const holding = new Set(claims.map(({ host }) => host))
    const named = now.filter(({ index }) => holding.has(index)).map((record) => hostAddress(fleet.hosts, record))
    const shown = `${named.slice(0, 5).join(', ')}${named.length > 5 ? ` and ${named.length - 5} more` : ''}`
    return {
      type: 'host-has-claims',
      code: 'PRECONDITION',
      message: `${claims.length === 0 ? 'No live claim is on the hosts' : `${counted(claims.length, 'live claim')} ${claims.length === 1 ? 'is' : 'are'} on ${shown}`}. ${cure}`,
      path,
      claims: claims.slice(0, LISTED_CLAIMS),
      claimCount: claims.length,
    }
  }

  return {
    async forget({ hosts: names, force, expectedClaims, reason, dryRun }) {
      const issues = checkText(['reason'], reason, { max: 1_000 })
      if (names.length < 1 || names.length > MAX_HOSTS) issues.push(issue(['hosts'], names, `name 1 to ${MAX_HOSTS} hosts`))
      if (typeof expectedClaims === 'number' && expectedClaims < 0)
        issues.push(issue(['expectedClaims'], expectedClaims, 'be the number of claims that a dry run counted, 0 or more'))
      if (issues.length > 0) return invalid(issues)
      await replica.fresh()
      // the effects are computed in several steps, and all of them must be computed at the same revision
      const fleet = snapshotOf(replica)
      const missing = names.findIndex((name) => presentOf(name, fleet).length === 0 && forgottenOf(name, fleet).length === 0)
      const lost = names[missing]
      if (lost !== undefined) return hostNotFound(replica.fleet, lost, renamedOf(lost), ['hosts', String(missing)])
      const forgotten = names.flatMap((name) => forgottenOf(name, fleet))
      const readmitted = forgotten.filter(({ gone }) => gone?.isReadmitted === true)
      const leaving = [...new Set([...names.flatMap((name) => presentOf(name, fleet)), ...readmitted])]
      const all = [...new Set([...leaving, ...forgotten])]
      const impact = await answerYielding(impactOfLeaving(fleet, leaving))
      const done = (revision: number): LeavingDone => ({
        type: 'done',
        hosts: viewsOf(all),
        impact,
        unchanged: leaving.length === 0,
        dryRun,
        revision,
      })
      if (leaving.length === 0) return done(fleet.place.revision)
      const cure = 'Move or release them first; or force it, and they end REVOKED.'
      const otherClaims = () =>
        hasClaims(leaving, `${expectedClaims} were expected: read again which claims would end.`, ['expectedClaims'])
      if (!force && impact.claimCount > 0) return hasClaims(leaving, cure, ['hosts'])
      if (typeof expectedClaims === 'number' && impact.claimCount !== expectedClaims) return otherClaims()
      if (dryRun) return done(fleet.place.revision)
      const expected = typeof expectedClaims === 'number' && { expectedClaims }
      const change: HostForgotten = { type: 'forget', hosts: leaving.map(nameOf), isForced: force, ...expected, reason }
      const { verdict, ended: claims } = await proposeForget(change, leaving)
      if (verdict?.void === 'leave.has_claims') return hasClaims(leaving, cure, ['hosts'])
      if (verdict?.void === 'leave.claims_changed') return otherClaims()
      // after the check of this call, a different call changed at least one of the hosts
      if (verdict?.void !== undefined) return changedMeanwhile(verdict.void, ['hosts'])
      const revision = verdict?.revision ?? replica.fleet.place.revision
      const serverGroups = [...new Set(claims.flatMap(({ group }) => group ?? []))].sort()
      return { ...done(revision), impact: { ...impact, claims: claims.slice(0, LISTED_CLAIMS), claimCount: claims.length, serverGroups } }
    },

    async readmit(name, reason) {
      const issues = checkText(['reason'], reason, { max: 1_000 })
      if (issues.length > 0) return invalid(issues)
      await replica.fresh()
      const [forgotten, renamed] = [forgottenOf(name), renamedOf(name)]
      const impact = NO_IMPACT
      const done = (all: readonly HostRecord[], unchanged: boolean, revision: number): LeavingDone => ({
        type: 'done',
        hosts: viewsOf(all),
        impact,
        unchanged,
        dryRun: false,
        revision,
      })
      const { revision } = replica.fleet.place
      const all = [...forgotten, ...renamed]
      if (all.length === 0) {
        const present = presentOf(name)
        return present.length > 0 ? done(present, true, revision) : hostNotFound(replica.fleet, name, [], ['host'])
      }
      const asked: HostName[] = [
        ...forgotten.filter(({ gone }) => gone?.isReadmitted !== true).map(nameOf),
        ...renamed.flatMap(({ formerNames }) =>
          formerNames.filter((former) => isMeant(former, name) && !former.isFree).map(({ host, node }) => ({ host, node })),
        ),
      ]
      if (asked.length === 0) return done(all, true, revision)
      const verdicts = await replica.propose(asked.map((one) => ({ type: 'readmit', ...one, reason })))
      const refused = verdicts.find((verdict) => verdict.void !== undefined)
      if (refused?.void !== undefined) return changedMeanwhile(refused.void, ['host'])
      return done(all, false, verdicts[0]?.revision ?? revision)
    },

    async replace({ host, by, reason, dryRun }) {
      const issues = [...checkText(['reason'], reason, { max: 1_000 }), ...checkHostName(['by'], by)]
      if (typeof by.node === 'string' && typeof host.node !== 'string')
        issues.push(issue(['by', 'node'], by.node, 'be left out where all nodes of a host are replaced'))
      if (issues.length > 0) return invalid(issues)
      await replica.fresh()
      const fleet = snapshotOf(replica)
      const { revision } = fleet.place
      const old = presentOf(host, fleet)
      const followers = renamedOf(host)
      if (old.length === 0 && followers.length > 0 && followers.every((record) => isMeant(record, by)))
        return { type: 'done', hosts: viewsOf(followers), impact: NO_IMPACT, merged: [], unchanged: true, dryRun, revision }
      if (old.length === 0) return hostNotFound(replica.fleet, host, followers, ['host'])
      const pairs = old.map((record) => ({ from: nameOf(record), to: nameAfter(record, by) }))
      const merging = pairs.flatMap(({ to }) => fleet.hosts.find(to) ?? [])
      const change: HostReplaced = { type: 'replace', hosts: pairs, reason }
      const cure = 'A host with claims cannot be merged into another host: release the claims, or forget the host by force first.'
      const refusal = refusesReplace(fleet, change)
      if (refusal === 'leave.has_claims') return hasClaims(merging, cure, ['by'])
      if (refusal !== undefined) return refusedReplace(refusal, by)
      const impact = await answerYielding(impactOfLeaving(fleet, old, (name) => name !== by.host))
      const merged = viewsOf(merging)
      const done = (at: number): ReplaceDone => ({
        type: 'done',
        hosts: viewsOf(old),
        impact,
        merged,
        unchanged: false,
        dryRun,
        revision: at,
      })
      if (dryRun) return done(revision)
      const [verdict] = await replica.propose([change])
      if (verdict?.void === 'leave.has_claims') return hasClaims(merging, cure, ['by'])
      if (verdict?.void !== undefined) return changedMeanwhile(verdict.void, ['host'])
      return done(verdict?.revision ?? revision)
    },

    isBound(names) {
      const { hosts } = replica.fleet
      const replacements = new Set(
        names.flatMap((name) => hosts.renamedNodesOf(name).map((index) => replacementOf(hosts, hosts.get(index)))),
      )
      const joinedOthers = ({ host, formerNames }: HostRecord): boolean => {
        const since = formerNames.findLast((former) => former.host !== host)?.until ?? 0
        return records(hosts.nodesOf(host)).some((other) => !replacements.has(other) && other.firstSeen < since)
      }
      return ({ host, node }) =>
        names.includes(host) ||
        [...replacements].some(
          (replacement) => replacement.host === host && (replacement.node === (node ?? host) || !joinedOthers(replacement)),
        )
    },
  }
}

const nameOf = ({ host, node }: HostName): HostName => ({ host, node })

const isMeant = (name: HostName, { host, node }: HostNameInput): boolean =>
  name.host === host && (typeof node !== 'string' || name.node === node)

const shown = ({ host, node }: HostNameInput): string => (node && node !== host ? `${host}/${node}` : host)

function hostNotFound({ hosts }: Fleet, name: HostNameInput, renamed: readonly HostRecord[], path: readonly string[]): NotFound {
  const failure = notFound('host', shown(name), path)
  const [replacement] = renamed
  return replacement === undefined
    ? failure
    : { ...failure, message: `${failure.message} Since it was replaced, its name is ${hostAddress(hosts, replacement)}.` }
}

/** The issue if hosts cannot get the new name. It states the reason and the remedy. */
function refusedReplace(code: NonNullable<Void>, by: HostNameInput): Invalid {
  const rules: Partial<Record<NonNullable<Void>, string>> = {
    'leave.name_taken': 'be another name than the present one, and no former name of another host; readmit that name first',
    'aggregate.zone_conflict': 'be a name that no aggregate of another availability zone lists; first remove the name from that aggregate',
  }
  return invalid(
    [issue(['by'], shown(by), rules[code] ?? `be a name that the host can have: ${sentenceOf(code)}`, code)],
    code === 'leave.name_taken' ? 'INVALID' : 'CONFLICT',
  )
}

/** The issue if a different call changed the hosts after this call had checked them and before its log entry was applied. */
const changedMeanwhile = (code: NonNullable<Void>, path: readonly string[]): Invalid =>
  invalid(
    [{ code, path, message: `${sentenceOf(code)} It changed meanwhile: read it again.`, expected: 'as it was read', actual: '' }],
    'CONFLICT',
  )
