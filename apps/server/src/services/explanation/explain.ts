import {
  answersFor,
  type Check,
  CORE_VERSION,
  checkAgainInSteps,
  currentSpec,
  DEFAULT_PROFILE,
  type DecisionRecord,
  type Fleet,
  type HostIndex,
  hostChangesBetween,
  hostFieldsOf,
  nodesNamed,
  otherCode,
  type Profile,
  pluginsOf,
  profileRef,
  proposalsBefore,
  type RequestSpec,
  replayInSteps,
  withAnswers,
} from '@gantt/scheduler-core'
import type { StoredDecision } from '../../db/tables/rows.ts'
import { answerYielding } from '../../event-loop/query.ts'
import type { Outside } from '../../plugin/outside/outside.ts'
import type { History } from '../../replica/follow/history.ts'
import { requestNow } from '../../replica/propose/moves.ts'
import type { Replica } from '../../replica/replica.ts'
import { InputFault, invalid } from '../calls/outcome.ts'
import type { Page, PageArgs } from '../calls/paging.ts'
import type { Decisions } from '../decision/decisions.ts'
import { onOtherState } from '../decision/other-state.ts'
import type { HostNameInput } from '../host/hosts.ts'
import { createOwnFleet, type OwnFleet } from '../moments/own-fleet.ts'
import { checkAsked } from '../placement/call-checks.ts'
import { parseSpec } from '../placement/placement.ts'
import type { SpecDocument } from '../placement/placement-input.ts'
import { unknownProfile, usableProfile } from '../profile/profiles.ts'
import { type Examined, examineInstance, type Fidelity, type HostVerdict, type Question } from './examined.ts'
import { listVerdicts, type VerdictFilter, type VerdictOrder } from './explanation.ts'
import { askedNode, type Present, type WhyNotAnswer, whyNotOf } from './why-not.ts'

/** The subject of an explanation: a decision, an earlier request, or a new request. */
export type Subject =
  | { readonly type: 'decision'; readonly id: string }
  | { readonly type: 'request-spec'; readonly id: string }
  | { readonly type: 'spec'; readonly spec: SpecDocument }

export interface ExplainOptions {
  /** The profile with which the request is decided. Absent: the profile of the decision, or the default profile for a new request. */
  readonly profile?: string | null | undefined
  /** The path of the profile in the caller's input. */
  readonly profilePath?: readonly string[]
  /**
   * The revision of the state on which the request is decided. Absent: the revision of the decision, or the present revision for a new
   * request.
   */
  readonly at?: number | null | undefined
  /** True: as in a decision, no further filters are evaluated for a host after the first refusal. */
  readonly shortCircuit?: boolean | null | undefined
  /** The index of the instance to explain. Absent: the instance that was not placed, or the first instance if all were placed. */
  readonly instance?: number | null | undefined
}

/** Replays decisions to explain them. Throws InputFault for a missing or invalid subject. */
export interface Explain {
  explain(subject: Subject, options?: ExplainOptions): Promise<Examined>
  decision(decision: StoredDecision, shortCircuit?: boolean): Promise<Examined>
  whyNot(subject: Subject, host: HostNameInput, options?: ExplainOptions): Promise<WhyNotAnswer>
  /** A page of the verdicts on single hosts. A filter finds a host by its present name and by every earlier name. */
  verdicts(examined: Examined, page: PageArgs, filter: VerdictFilter, order: VerdictOrder): Promise<Page<HostVerdict>>
}

const SUBJECT = ['input', 'subject']
const PROFILE = ['input', 'profile']

export function createExplain(replica: Replica, history: History, decisions: Decisions, outside: Outside): Explain {
  /**
   * The state at a revision: a copy of the live fleet if it has this revision when the copy is made, otherwise a past fleet. For a question
   * about the present, the copy has at least the time `since`.
   */
  const stateAt = (revision: number, since = 0): OwnFleet =>
    createOwnFleet(
      () => (replica.fleet.place.revision === revision ? history.copy(replica.fleet, since) : history.at(revision)),
      history.giveBack,
    )

  /** Calls the external plug-ins of the profile if the record of the decision does not contain their answers. */
  const askOutside = (fleet: Fleet, profile: Profile, { request, outside: answers = [], source, ends, intent }: DecisionRecord) => {
    const spec = currentSpec(request)
    const claimOf = (id: string | undefined) => (id === undefined ? undefined : fleet.ledger.claims.get(id))
    const away = { source: claimOf(source), ends: claimOf(ends), intent }
    return outside.gather(fleet, withAnswers(profile, [{ request: spec, answers }]), [spec], away)
  }

  /**
   * Creates the question that explains a request on the state at a revision. If the log no longer contains that state, the present state is
   * used.
   */
  const askAt = async (
    revision: number,
    record: DecisionRecord,
    rest: Pick<Question, 'before' | 'fidelity'> & Partial<Pick<Question, 'answer' | 'lost' | 'decidedAt'>>,
    since = 0,
  ): Promise<Question> => {
    const state = stateAt(revision, since)
    const answering = await state.read((fleet) => {
      const profile = fleet.profiles.find(record.profile)
      return { answered: profile && askOutside(fleet, profile, record) }
    })
    const answered = await answering.answered
    return state.work(function* (fleet) {
      const profile = fleet.profiles.find(record.profile)
      if (profile === undefined) throw new InputFault([unknownProfile(replica, record.profile, PROFILE)])
      // a request that is decided anew needs a usable profile; a recorded decision does not
      if (rest.answer === undefined) usableProfile(fleet, profile, PROFILE)
      const answers = answered && answersFor(answered, currentSpec(record.request))
      const named = { ...record, ...(answers !== undefined && { outside: answers }), profile: profileRef(profile) }
      const known = { ...rest, profile, basis: revision, state }
      if (rest.answer !== undefined) return { record: named, ...known, answer: rest.answer }
      const { record: made, answer } = yield* replayInSteps(fleet, rest.before, named)
      // the record does not contain the instance that got no host, so the record of the new decision replaces it
      return { record: { ...named, instances: made.instances }, ...known, answer }
    })
  }

  /** The earlier proposals in the log entry of a decision. Their resources were already held when the decision was made. */
  const proposalsAt = async ({ place }: StoredDecision): Promise<Question['before']> => {
    const entry = place.entryId === null ? undefined : await history.find(place.entryId, place.basis)
    if (place.entryId !== null && entry === undefined) throw new RangeError(`entry ${place.entryId} is not in the log`)
    return entry === undefined ? [] : proposalsBefore(entry, place.position ?? 0)
  }

  const askDecision = async (stored: StoredDecision, { profile, at }: ExplainOptions): Promise<Question> => {
    const { record: decided, place } = stored
    const record = { ...decided, profile: profile || decided.profile }
    if ((at ?? place.basis) !== place.basis) return askElsewhere(record, at as number)
    // with a different profile, the request is decided again
    const answer = profile ? {} : { answer: stored.answer }
    const fidelity: Fidelity = !profile && otherCode(record, pluginsOf(replica.fleet)) === undefined ? 'REPLAYED' : 'APPROXIMATE'
    try {
      return await askAt(place.basis, record, { before: await proposalsAt(stored), fidelity, ...answer, decidedAt: stored.at })
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      const { fleet } = replica
      return askAt(fleet.place.revision, onOtherState(fleet, record), { before: [], fidelity: 'APPROXIMATE', ...answer, lost: place.basis })
    }
  }

  /** Creates the question that explains the request of a decision on a state other than the state of the decision. */
  const askElsewhere = async (record: DecisionRecord, at: number): Promise<Question> => {
    try {
      const asked = await stateAt(at).read((fleet) => onOtherState(fleet, record))
      return await askAt(at, asked, { before: [], fidelity: 'APPROXIMATE' })
    } catch (error) {
      if (error instanceof RangeError) throw unreachable(at)
      throw error
    }
  }

  /**
   * Creates the question that explains a new request. `path` is the path of the request in the caller's input. A request that a placement
   * call would refuse as invalid is refused here too.
   */
  const askSpec = async (asked: RequestSpec, options: ExplainOptions, path?: readonly string[]): Promise<Question> => {
    const { profile, at, profilePath = PROFILE } = options
    await replica.freshest()
    const revision = at ?? replica.fleet.place.revision
    const since = at === undefined ? replica.storeTime : 0
    const asACall = (fleet: Fleet): RequestSpec => {
      if (path === undefined) return asked
      const name = profile || DEFAULT_PROFILE
      const version = fleet.profiles.find(name)
      if (version === undefined) throw new InputFault([unknownProfile(replica, name, profilePath)])
      const refused = checkAsked({ fleet, profile: usableProfile(fleet, version, profilePath), request: asked, path, profilePath })
      if (refused.length > 0) throw new InputFault(refused)
      return requestNow(fleet, { request: asked, intent: 'CREATE' }, undefined)
    }
    try {
      const record: DecisionRecord = {
        id: '',
        request: await stateAt(revision, since).read(asACall),
        profile: profile || DEFAULT_PROFILE,
        seed: 'asked',
        attempt: 1,
        alternatesPerInstance: 2,
        allOrNothing: true,
        instances: [],
        core: CORE_VERSION,
      }
      return await askAt(revision, record, { before: [], fidelity: 'REPLAYED' }, since)
    } catch (error) {
      if (error instanceof RangeError) throw unreachable(at)
      throw error
    }
  }

  const ask = async (subject: Subject, options: ExplainOptions): Promise<Question> => {
    if (subject.type === 'decision') {
      const stored = await decisions.stored(subject.id)
      if (stored === undefined) throw InputFault.at([...SUBJECT, 'decisionId'], subject.id, 'the id of a decision')
      return askDecision(stored, options)
    }
    if (subject.type === 'request-spec') {
      const stored = await decisions.findSpec(subject.id)
      if (stored === undefined) throw InputFault.at([...SUBJECT, 'requestSpecId'], subject.id, 'the id of a request')
      return askSpec(currentSpec(stored.document), options)
    }
    const parsed = parseSpec(subject.spec)
    if ('type' in parsed) throw new InputFault(invalid(parsed.issues).issues)
    return askSpec(parsed.value, options, subject.spec.path)
  }

  const examined = (question: Question, options: ExplainOptions): Promise<Examined> => {
    const { numInstances } = question.record.request
    const instance = options.instance ?? Math.min(question.answer.length === numInstances ? 0 : failedInstance(question), numInstances - 1)
    if (instance < 0 || instance >= numInstances) throw InputFault.at(['instanceIndex'], instance, `0 to ${numInstances - 1}`)
    return examineInstance(question, instance, options.shortCircuit === true)
  }

  return {
    explain: async (subject, options = {}) => examined(await ask(subject, options), options),
    decision: async (stored, shortCircuit = false) => examined(await askDecision(stored, {}), { shortCircuit }),
    verdicts: (...asked) => listVerdicts(replica.fleet.hosts, ...asked),
    async whyNot(subject, host, options = {}) {
      const question = await ask(subject, options)
      const found = await examined(question, options)
      const asked = askedNode(replica.fleet.hosts, found, host) ?? host
      return whyNotOf(found, asked, await presentOf(replica, history, found, asked))
    },
  }
}

/**
 * The index of the instance without a host: the last instance in the record or, if the record has no instances, the first instance without
 * a result in the answer.
 */
const failedInstance = ({ record, answer }: Question): number => (record.instances.length > 0 ? record.instances.length - 1 : answer.length)

/** The present facts of the host, and what changed since the state that was examined. */
async function presentOf(replica: Replica, history: History, { question, instance }: Examined, name: HostNameInput): Promise<Present> {
  return history.lend(async ({ copy }) => {
    // a copy, because the live fleet can change before all facts are read
    const fleet = copy(replica.fleet, replica.storeTime)
    const index = indexOf(fleet, name)
    const after = hostFieldsOf(fleet, index)
    const firstSeen = index === undefined ? undefined : fleet.hosts.get(index).firstSeen
    const checks = index === undefined ? undefined : await checksNow(fleet, question.record, instance, index)
    const { lost } = question
    const changes =
      lost === undefined ? hostChangesBetween(await question.state.read((past) => hostFieldsOf(past, indexOf(past, name))), after) : []
    return { checks, changes, ...(firstSeen !== undefined && { firstSeen: await placeOf(history, firstSeen) }) }
  })
}

const indexOf = ({ hosts }: Fleet, name: HostNameInput): HostIndex | undefined => nodesNamed(hosts, name)[0]?.index

/** The present verdicts of all filters on a host for the same instance of the request. Undefined if the profile no longer exists. */
async function checksNow(fleet: Fleet, record: DecisionRecord, instance: number, index: HostIndex): Promise<readonly Check[] | undefined> {
  if (fleet.profiles.find(record.profile) === undefined) return undefined
  return answerYielding(
    checkAgainInSteps(fleet, [], onOtherState(fleet, record), instance, function* ({ checksOf }) {
      yield
      return checksOf(index)
    }),
  )
}

const unreachable = (at: number | null | undefined) => InputFault.at(['input', 'at'], at, 'a revision that the log still contains')

/** A revision, with the time of its entry if the log still contains the entry. */
async function placeOf(history: History, revision: number): Promise<NonNullable<Present['firstSeen']>> {
  try {
    return { revision, at: (await history.entry(revision)).at }
  } catch (error) {
    if (error instanceof RangeError) return { revision, at: null }
    throw error
  }
}
