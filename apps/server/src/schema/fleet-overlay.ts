import type { AskedRequest } from '../services/asked-request.ts'
import type { Hypothesis } from '../services/hypothetical.ts'
import type { Moment } from '../services/moments.ts'
import { InputFault, type Issue } from '../services/outcome.ts'
import { builder } from './builder.ts'
import { KeyValueInput, toRecord, withoutNulls } from './common.ts'
import { idOf } from './ids.ts'
import { SpecInput, toSpecDocument } from './request-spec.ts'

const HypotheticalHostInput = builder.inputType('HypotheticalHostInput', {
  description: 'Hosts that are not there.',
  fields: (t) => ({
    likeHost: t.string({
      required: true,
      description: 'Whose machine they have, with nothing on it. They are named after it: cmp-1+1, cmp-1+2.',
    }),
    count: t.int({ required: true, defaultValue: 1, description: 'How many; at most 10,000 in all.' }),
    availabilityZone: t.string({ description: 'Their zone, a new one too; if not given, that of the host they are like.' }),
    aggregates: t.stringList({ description: 'Those that they are in, by uuid or name; if not given, those of the host they are like.' }),
  }),
})

const AggregateChangeInput = builder.inputType('AggregateChangeInput', {
  description: 'An aggregate as it is not.',
  fields: (t) => ({
    aggregate: t.string({ required: true, description: 'Which, by uuid or name.' }),
    addHosts: t.stringList({ description: 'Hosts that join it, those that the same overlay adds too.' }),
    removeHosts: t.stringList({ description: 'Hosts that leave it.' }),
    setMetadata: t.field({ type: [KeyValueInput], description: 'Keys that are set.' }),
    unsetMetadata: t.stringList({ description: 'Keys that are taken away.' }),
  }),
})

const RatioChangeInput = builder.inputType('RatioChangeInput', {
  description: 'Another allocation ratio.',
  fields: (t) => ({
    host: t.string({ description: 'On this host.' }),
    node: t.string({ description: 'On this node of the host alone; on all its nodes if not given.' }),
    aggregate: t.string({
      description: 'On the hosts of this aggregate, by uuid or name, instead of one host. With neither: on all hosts.',
    }),
    resourceClass: t.string({ required: true, description: 'The class, e.g. VCPU, MEMORY_MB, DISK_GB.' }),
    allocationRatio: t.float({ required: true, description: 'How many times over it may be given away, 0.001 to 1000.' }),
  }),
})

const ReserveChangeInput = builder.inputType('ReserveChangeInput', {
  description: 'Another reserved amount.',
  fields: (t) => ({
    host: t.string({ required: true, description: 'On this host.' }),
    node: t.string({ description: 'On this node of the host alone; on all its nodes if not given.' }),
    resourceClass: t.string({ required: true, description: 'The class, e.g. VCPU, MEMORY_MB, DISK_GB.' }),
    reserved: t.field({ type: 'SafeInt', required: true, description: 'How much of it is kept back, in its units.' }),
  }),
})

const FleetOverlayInput = builder.inputType('FleetOverlayInput', {
  description:
    'What the fleet is instead of what it is. Edits are made in the order of the fields; nothing of it stays. Where hosts are removed, drained, disabled or enabled, HOST names all nodes of a host, HOST/NODE one of them.',
  fields: (t) => ({
    addHosts: t.field({ type: [HypotheticalHostInput], description: 'Hosts that are added.' }),
    removeHosts: t.stringList({
      description:
        'Hosts that are gone, and what is on them with them: nothing fits there any more, and their claims have ended. To move it elsewhere, drain them.',
    }),
    drainHosts: t.stringList({
      description:
        'Hosts that take nothing new and whose instances move to others, after all other edits, the oldest claim first. What finds no place stays and is told of (drain).',
    }),
    disableHosts: t.stringList({ description: 'Hosts that take nothing new; what is there stays.' }),
    enableHosts: t.stringList({ description: 'Hosts that are enabled and alive.' }),
    aggregateChanges: t.field({ type: [AggregateChangeInput], description: 'Aggregates with other hosts or metadata.' }),
    ratios: t.field({ type: [RatioChangeInput], description: 'Other allocation ratios.' }),
    reserves: t.field({ type: [ReserveChangeInput], description: 'Other reserved amounts, from feature level 10 on.' }),
    releaseClaims: t.idList({ description: 'Claims that have ended; none that the host’s report counts already (MATERIALISED).' }),
    expireBy: t.field({ type: 'DateTime', description: 'Reservations that end by then have ended.' }),
  }),
})

type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0]

/** What every question about a fleet that is not may say. */
export const hypothesisFields = (t: InputFields) => ({
  profile: t.string({ description: 'name or name@number; the profile default if not given.' }),
  profileChanges: t.field({
    type: 'JSON',
    description: 'Parts of the profile that are other than it has them, e.g. {"weighers":[{"name":"RAMWeigher","multiplier":-1}]}.',
  }),
  at: t.field({ type: 'Moment', description: 'Ask at this revision or time instead of now.' }),
  overlay: t.field({ type: FleetOverlayInput, description: 'What the fleet is instead of what it is.' }),
  deadline: t.field({
    type: 'Duration',
    description: 'What is not worked out by then is left out, and said to be; PT10S if not given, at most PT60S.',
  }),
})

/** A request that a question is about: exactly one of the two. */
export const requestFields = (t: InputFields, what: string) => ({
  spec: t.field({ type: SpecInput, description: `A request; or name a decision. ${what}` }),
  decisionId: t.id({ description: 'The decision whose request it is, instead of a request.' }),
})

interface GivenRequest {
  readonly spec?: typeof SpecInput.$inferInput | null | undefined
  readonly decisionId?: string | null | undefined
}

export const toAskedRequest = ({ spec, decisionId }: GivenRequest, path: readonly string[]): AskedRequest => ({
  spec: spec ? toSpecDocument(spec, [...path, 'spec']) : null,
  decisionId: decisionId ? idOf('Decision', decisionId, [...path, 'decisionId']) : null,
  path,
})

interface GivenHypothesis {
  readonly profile?: string | null | undefined
  readonly profileChanges?: unknown
  readonly at?: Moment | null | undefined
  readonly overlay?: typeof FleetOverlayInput.$inferInput | null | undefined
  readonly deadline?: number | null | undefined
}

export const toHypothesis = ({ profile, profileChanges, at, overlay, deadline }: GivenHypothesis): Hypothesis => ({
  profile: profile ?? null,
  profileChanges: profileChanges ?? null,
  at: at ?? null,
  overlay: overlay ? toOverlay(overlay, ['input', 'overlay']) : null,
  deadlineMs: deadline ?? null,
})

/** The edits as core reads them. */
function toOverlay({ aggregateChanges, releaseClaims, ...rest }: typeof FleetOverlayInput.$inferInput, path: readonly string[]) {
  const issues: Issue[] = []
  const document = withoutNulls({
    ...rest,
    aggregateChanges: aggregateChanges?.map(({ setMetadata, ...change }, i) => ({
      ...change,
      setMetadata: toRecord(setMetadata, [...path, 'aggregateChanges', String(i), 'setMetadata'], issues),
    })),
    releaseClaims: releaseClaims?.map((id, i) => claimOf(id, [...path, 'releaseClaims', String(i)])),
  })
  return { document, issues }
}

/** What is no id of a claim stays as it is: it is told with everything else that is wrong. */
function claimOf(id: string, path: readonly string[]): string {
  try {
    return idOf('Claim', id, path)
  } catch (error) {
    if (error instanceof InputFault) return id
    throw error
  }
}
