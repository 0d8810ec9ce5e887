import { tenantDemands } from '@gantt/scheduler-core'
import type { DemandTold, TenantExplanation as TenantExplanationShape } from '../../services/explanation/tenant-explanation.ts'
import { builder } from '../builder.ts'
import { DecisionOutcome } from '../decision/decision.ts'
import { SpecInput, toSpecDocument } from '../placement/request-spec.ts'
import { Decision } from '../types/refs.ts'

const TenantDemandKind = builder.enumType('TenantDemandKind', {
  description: 'The kinds of demands of a request, as a project knows them. New values may be added.',
  values: Object.keys(tenantDemands) as (keyof typeof tenantDemands)[],
})

const TenantDemandState = builder.enumType('TenantDemandState', {
  description: 'Whether any host meets a demand.',
  values: {
    MET: { description: 'A host meets it together with all demands before it.' },
    IN_THE_WAY: { description: 'No host meets it together with the demands before it.' },
    NOT_TOLD: { description: 'It is not known whether a host meets it: it was not evaluated, or the project may not know.' },
  } as const,
})

const TenantDemand = builder.objectRef<DemandTold>('TenantDemand').implement({
  description: 'One demand of the request.',
  fields: (t) => ({
    kind: t.expose('demand', { type: TenantDemandKind, description: 'What kind of resource is asked for.' }),
    asked: t.exposeString('asked', { description: 'The demand in the words of the request.' }),
    state: t.expose('state', { type: TenantDemandState, description: 'Whether the demand can be met.' }),
    text: t.exposeString('text', { description: 'The same for people, with advice; never parse it.' }),
  }),
})

const TenantExplanation = builder.objectRef<TenantExplanationShape>('TenantExplanation').implement({
  description:
    'What a project may know about the placement of its request: the request itself, and which of its demands no host met. It names and counts no hosts, and contains nothing that could not be learned by placing parts of the same request.',
  fields: (t) => ({
    outcome: t.expose('outcome', { type: DecisionOutcome, description: 'The outcome, or the one that a placement would have.' }),
    instanceCount: t.exposeInt('instanceCount', { description: 'The number of requested instances.' }),
    placedCount: t.exposeInt('placedCount', {
      description: 'The number of instances that were placed before one was not; for a request that was not made yet, all or 0.',
    }),
    headline: t.exposeString('headline', { description: 'The explanation in a sentence or two.' }),
    demands: t.field({
      type: [TenantDemand],
      description: 'The demands of the request, in the order of evaluation.',
      resolve: ({ demands }) => [...demands],
    }),
    isInYourHands: t.exposeBoolean('isInYourHands', {
      nullable: true,
      description: 'True: another request may be placed. Null: nothing prevents the placement, or only operators can change what does.',
    }),
  }),
})

builder.objectField(Decision, 'tenantExplanation', (t) =>
  t.field({
    type: TenantExplanation,
    description: "The explanation for the request's project.",
    resolve: async (view, _args, { tenantExplanations }) => tenantExplanations.ofDecision(await view.load()),
  }),
)

builder.queryField('tenantExplanation', (t) =>
  t.field({
    type: TenantExplanation,
    authScopes: { scope: 'READ' },
    description: "The explanation of a placement now, for the request's project. Nothing is claimed.",
    args: {
      spec: t.arg({ type: SpecInput, required: true, description: 'The request to explain.' }),
      profile: t.arg.string({ description: 'name or name@number; the profile default if not given.' }),
    },
    resolve: (_root, { spec, profile }, { tenantExplanations }) =>
      tenantExplanations.ofSpec(toSpecDocument(spec, ['spec']), profile ?? null),
  }),
)
