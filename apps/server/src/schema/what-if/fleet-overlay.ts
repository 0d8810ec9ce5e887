import { fleetEditsSchema } from '@gantt/scheduler-core'
import { InputFault, type Issue } from '../../services/calls/outcome.ts'
import type { Moment } from '../../services/moments/moments.ts'
import type { AskedRequest } from '../../services/placement/asked-request.ts'
import type { Hypothesis } from '../../services/what-if/hypothetical.ts'
import type { builder } from '../builder.ts'
import { inputOf } from '../forms/form-input.ts'
import { SpecInput, toSpecDocument } from '../placement/request-spec.ts'
import { idOf } from '../types/ids.ts'

const overlayInput = inputOf(fleetEditsSchema, {
  name: 'FleetOverlayInput',
  names: {
    addHosts: 'HypotheticalHostInput',
    aggregateChanges: 'AggregateChangeInput',
    ratios: 'RatioChangeInput',
    reserves: 'ReserveChangeInput',
  },
  types: { releaseClaims: 'ID', expireBy: 'DateTime' },
  printedDefaults: ['addHosts.count'],
  notNull: ['addHosts.count'],
})

type GivenOverlay = typeof overlayInput.type.$inferInput

type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0]

/** The changes that every query about a hypothetical fleet accepts. */
export const hypothesisFields = (t: InputFields) => ({
  profile: t.string({ description: 'The profile to use, as name or name@number; the profile `default` if absent.' }),
  profileChanges: t.field({
    type: 'JSON',
    description: 'Fields of the profile to replace, with their new values, e.g. {"weighers":[{"name":"RAMWeigher","multiplier":-1}]}.',
  }),
  at: t.field({ type: 'Moment', description: 'The revision or time whose fleet is used, instead of the present fleet.' }),
  overlay: t.field({ type: overlayInput.type, description: 'Hypothetical changes to the fleet.' }),
  deadline: t.field({
    type: 'Duration',
    description:
      'The time limit. Results that are not computed before the limit are left out, and the answer reports that they are missing. PT10S by default, at most PT60S.',
  }),
})

/** The request of a query. Exactly one of the two fields must be set. */
export const requestFields = (t: InputFields, what: string) => ({
  spec: t.field({ type: SpecInput, description: `${what} Give either \`spec\` or \`decisionId\`.` }),
  decisionId: t.id({ description: 'The decision whose request is used, instead of `spec`.' }),
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
  readonly overlay?: GivenOverlay | null | undefined
  readonly deadline?: number | null | undefined
}

export const toHypothesis = ({ profile, profileChanges, at, overlay, deadline }: GivenHypothesis): Hypothesis => ({
  profile: profile ?? null,
  profileChanges: profileChanges ?? null,
  at: at ?? null,
  overlay: overlay ? toOverlay(overlay, ['input', 'overlay']) : null,
  deadlineMs: deadline ?? null,
})

/** Converts the edits of a hypothetical fleet to the core's form. */
function toOverlay({ releaseClaims, ...rest }: GivenOverlay, path: readonly string[]) {
  const issues: Issue[] = []
  const claims = releaseClaims?.map((id, i) => claimOf(id, [...path, 'releaseClaims', String(i)]))
  return { document: overlayInput.read({ ...rest, releaseClaims: claims }, path, issues), issues }
}

/** Returns an invalid id of a claim unchanged. A later check then reports it together with all other errors. */
function claimOf(id: string, path: readonly string[]): string {
  try {
    return idOf('Claim', id, path)
  } catch (error) {
    if (error instanceof InputFault) return id
    throw error
  }
}
