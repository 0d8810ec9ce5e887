import {
  type ChangeKind,
  type Counterfactual as CoreCounterfactual,
  changeKinds,
  type FleetEdits,
  hostLeft,
  isNoEdit,
  type ProposedChange,
  profileRef,
  type RequestSpec,
  type WhatWouldFit,
  whatWouldFit,
} from '@gantt/scheduler-core'
import { answerYielding } from '../../event-loop/query.ts'
import { keptCause } from '../../replica/propose/kept-cause.ts'
import { InputFault } from '../calls/outcome.ts'
import { checkRange } from '../calls/text.ts'
import type { Decisions, KeptCause, StoredDecision } from '../decision/decisions.ts'
import type { Drain } from '../move/drain.ts'
import { recordedIn } from '../move/relocation.ts'
import { type AskedRequest, isWrong, type ReadRequest } from '../placement/asked-request.ts'
import { type Hypothesis, inHypothesis, type OpenHypothetical } from './hypothetical.ts'

/** One query may try at most this many decisions. */
const MAX_TRIED_DECISIONS = 100
const MAX_PAGE_SIZE = 50
const MAX_HOSTS = 100_000

export interface WhatWouldFitInput extends Hypothesis {
  readonly request: AskedRequest
  /** The kinds of changes that are tried; null for every kind. */
  readonly kinds: readonly ChangeKind[] | null
  readonly maxChanges: number
  readonly first: number
  readonly minHosts: number
}

/** An existing object that a change would modify. */
export interface ChangePlace {
  readonly kind: (typeof placeKinds)[number]
  /** The name of a host or a profile, or the uuid of an aggregate or a claim. */
  readonly name: string
}

export const placeKinds = ['HOST', 'AGGREGATE', 'CLAIM', 'PROFILE'] as const

export interface Counterfactual extends Omit<CoreCounterfactual, 'changes' | 'request' | 'edits' | 'filters'> {
  readonly changes: readonly (Pick<ProposedChange, 'kind' | 'subject' | 'from' | 'to'> & { readonly places: readonly ChangePlace[] })[]
  /** Always true: every listed change was tried, and the request was placed with the change. */
  readonly verified: true
  /** The edits of the query together with the edits of the change, in the form of FleetOverlayInput; null if there are no edits. */
  readonly overlay: unknown
  /** The query with the change in the form of SimulateInput, except that the request has the core's form. */
  readonly simulation: { readonly request: RequestSpec; readonly [field: string]: unknown }
}

export interface WhatWouldFitAnswer extends Pick<WhatWouldFit, 'fits' | 'runs' | 'cut' | 'leftOut'> {
  readonly asOf: number
  readonly headline: string
  readonly counterfactuals: readonly Counterfactual[]
  readonly drain: Drain | null
  /** Why the request does not fit; null if it fits. */
  readonly cause: KeptCause | null
}

/** Finds changes of the fleet, the profile or the request with which a request would fit. */
export interface Remedies {
  /** Throws InputFault for invalid input. */
  find(input: WhatWouldFitInput): Promise<WhatWouldFitAnswer>
}

const SEED = 'simulated'

export function createRemedies(open: OpenHypothetical, readRequest: ReadRequest, decisions: Decisions): Remedies {
  /** A query about a decision uses the state and the profile of the decision, unless the caller names a different moment or profile. */
  const asDecided = (input: WhatWouldFitInput, stored: StoredDecision | undefined): WhatWouldFitInput => {
    if (stored === undefined) return input
    return { ...input, at: input.at ?? { revision: stored.place.basis }, profile: input.profile ?? stored.record.profile }
  }

  const find = async (given: WhatWouldFitInput, since: number): Promise<WhatWouldFitAnswer> => {
    const read = await readRequest(given.request)
    const issues = [
      ...(isWrong(read) ? read : []),
      ...checkRange(['input', 'maxChanges'], given.maxChanges, 1, 2),
      ...checkRange(['input', 'first'], given.first, 1, MAX_PAGE_SIZE),
      ...checkRange(['input', 'minHosts'], given.minHosts, 1, MAX_HOSTS),
    ]
    const { decisionId } = given.request
    const stored = decisionId === null ? undefined : await decisions.stored(decisionId)
    const input = asDecided(given, stored)
    const { fleet, profile, requests, asOf, isOver, edits, drain } = await open(input, issues, isWrong(read) ? [] : [read], since)
    if (isWrong(read)) throw new InputFault(read)
    const [request = read.request] = requests
    const { maxChanges, first, minHosts } = input
    const kinds = input.kinds ?? changeKinds
    const limits = { maxChanges, first, minHosts, maxRuns: MAX_TRIED_DECISIONS, isOver }
    const leaves = stored && hostLeft(request, recordedIn(fleet, stored.record))
    const options = { request, profile, seed: SEED, kinds, leaves, ...limits }
    const found = await answerYielding(whatWouldFit(fleet, options))
    const draft = input.profileChanges ?? undefined
    const toAnswer = ({ changes, request: asked, edits: more, filters, ...rest }: CoreCounterfactual): Counterfactual => {
      const overlay = toOverlay(edits, more)
      const profileChanges = filters === undefined ? draft : { ...(draft as object | undefined), filters }
      const simulation = {
        request: asked,
        // a draft is not stored, so the simulation names its base profile and the changes
        profile: draft === undefined ? profileRef(profile) : input.profile,
        ...(profileChanges !== undefined && { profileChanges }),
        at: String(asOf),
        ...(overlay !== null && { overlay }),
        seed: SEED,
      }
      const said = changes.map((change) => {
        const { kind, subject, from, to } = change
        return { kind, subject, from, to, places: placesOf(change, profile.name) }
      })
      return { ...rest, changes: said, verified: true, overlay, simulation }
    }
    const counterfactuals = found.counterfactuals.map(toAnswer)
    const cause = found.cause && keptCause(found.cause, found.way)
    const { fits, runs, cut, leftOut } = found
    return { drain, fits, runs, cut, leftOut, asOf, counterfactuals, cause, headline: headlineOf(found, cause) }
  }
  return { find: (input) => inHypothesis(input, (since) => find(input, since)) }
}

/**
 * The existing objects that a change edits. They identify the change independently of its text. Changes of the request and new hosts have
 * no such object.
 */
function placesOf({ edits, filters }: ProposedChange, profile: string): ChangePlace[] {
  const { enableHosts = [], ratios = [], reserves = [], aggregateChanges = [], releaseClaims = [] } = edits ?? {}
  return [
    ...enableHosts.map((name) => ({ kind: 'HOST' as const, name })),
    ...ratios.flatMap(({ host: name }) => (name === null ? [] : [{ kind: 'HOST' as const, name }])),
    ...reserves.map(({ host: name }) => ({ kind: 'HOST' as const, name })),
    ...aggregateChanges.map(({ aggregate: name }) => ({ kind: 'AGGREGATE' as const, name })),
    ...releaseClaims.map((name) => ({ kind: 'CLAIM' as const, name })),
    ...(filters === undefined ? [] : [{ kind: 'PROFILE' as const, name: profile }]),
  ]
}

/** The edits of the query followed by the edits of a change, in the form of the API. */
function toOverlay(own: FleetEdits, more: FleetEdits): unknown {
  const parts = [own, more].filter((edits) => !isNoEdit(edits))
  if (parts.length === 0) return null
  const lists = {
    addHosts: [],
    removeHosts: [],
    drainHosts: [],
    disableHosts: [],
    enableHosts: [],
    aggregateChanges: [],
    ratios: [],
    reserves: [],
    releaseClaims: [],
  }
  const joined: Record<string, unknown> = {}
  for (const field of Object.keys(lists) as (keyof typeof lists)[]) {
    const items = parts.flatMap((edits) => edits[field] as readonly unknown[])
    if (items.length > 0)
      joined[field] = field === 'aggregateChanges' ? parts.flatMap(({ aggregateChanges }) => aggregateChanges.map(toChange)) : items
  }
  const times = parts.flatMap(({ expireBy }) => expireBy ?? [])
  if (times.length > 0) joined.expireBy = new Date(Math.max(...times)).toISOString()
  return joined
}

const toChange = ({ setMetadata, ...change }: FleetEdits['aggregateChanges'][number]) => ({
  ...change,
  setMetadata: Object.entries(setMetadata).map(([key, value]) => ({ key, value })),
})

function headlineOf({ fits, counterfactuals, cut, leftOut }: WhatWouldFit, cause: KeptCause | null): string {
  if (fits) return 'The request fits without any change.'
  const others = `${leftOut} refused ${leftOut === 1 ? 'host was' : 'hosts were'} not considered`
  const more =
    cut === null
      ? ''
      : cut === 'deadline'
        ? ' The time ended before everything was tried.'
        : leftOut > 0
          ? ` Not everything was tried: ${others}.`
          : ' Not everything was tried: the limit of decisions was reached.'
  const [best] = counterfactuals
  if (best !== undefined) return `The smallest change: ${best.text}.${more}`
  return `No change within the limits of the search makes the request fit.${cause === null ? '' : ` ${cause.text}`}${more}`
}
