import { tenantDemands } from '@gantt/scheduler-core'
import type { DemandTold, TenantExplanation as TenantExplanationShape } from '../../services/explanation/tenant-explanation.ts'
import { builder } from '../builder.ts'
import { DecisionOutcome } from '../decision/decision.ts'
import { SpecInput, toSpecDocument } from '../placement/request-spec.ts'
import { Decision } from '../types/refs.ts'

const TenantDemandKind = builder.enumType('TenantDemandKind', {
  description:
    'The kinds of demands (requirements of a request) that a tenant, the OpenStack project, can see and change. New values may be added.',
  values: Object.keys(tenantDemands) as (keyof typeof tenantDemands)[],
})

const TenantDemandState = builder.enumType('TenantDemandState', {
  description: 'The result for a demand (see the values).',
  values: {
    MET: { description: 'At least one host meets all demands with this state.' },
    IN_THE_WAY: {
      description:
        'No host meets all demands with this state and all that are MET. If several demands have this state, a host can meet each of them alone.',
    },
    NOT_TOLD: {
      description:
        'It is not shown whether a host meets this demand, because the demand was not evaluated or because the tenant must not learn the result.',
    },
  } as const,
})

const TenantDemand = builder.objectRef<DemandTold>('TenantDemand').implement({
  description: 'One requirement of a request, such as memory or a trait.',
  fields: (t) => ({
    kind: t.expose('demand', { type: TenantDemandKind, description: 'The kind of the demand.' }),
    asked: t.exposeString('asked', { description: 'The demand in the words of the request.' }),
    state: t.expose('state', { type: TenantDemandState, description: 'The result for the demand, such as MET.' }),
    text: t.exposeString('text', {
      description: 'The result for the demand as text for people, with advice. Programs should not parse this text.',
    }),
  }),
})

const TenantExplanation = builder.objectRef<TenantExplanationShape>('TenantExplanation').implement({
  description:
    'What a tenant (an OpenStack project) may know about the placement of its request: the request itself, and which demands of the request no host met. It does not name or count hosts, and contains nothing that the tenant could not learn by placing parts of the same request.',
  fields: (t) => ({
    outcome: t.expose('outcome', {
      type: DecisionOutcome,
      description: 'The outcome of the decision; for a hypothetical request, the outcome that it would have.',
    }),
    instanceCount: t.exposeInt('instanceCount', { description: 'How many instances were requested.' }),
    placedCount: t.exposeInt('placedCount', {
      description:
        'For how many instances a host was found, before the first instance for which no host was found. For a hypothetical request, all instances or 0.',
    }),
    headline: t.exposeString('headline', {
      description: 'The result of the placement, and its cause if it may be shown, in one or two sentences.',
    }),
    demands: t.field({
      type: [TenantDemand],
      description:
        'The demands of the request: first those that are MET, then those that are IN_THE_WAY, then the others, each in the order of evaluation.',
      resolve: ({ demands }) => [...demands],
    }),
    isInYourHands: t.exposeBoolean('isInYourHands', {
      nullable: true,
      description:
        'True if the tenant can change the demand that prevents the placement. Null if nothing prevents the placement, or if the tenant must not learn the cause.',
    }),
  }),
})

builder.objectField(Decision, 'tenantExplanation', (t) =>
  t.field({
    type: TenantExplanation,
    description: 'The explanation that the tenant (the OpenStack project) of the request may read.',
    resolve: async (view, _args, { tenantExplanations }) => tenantExplanations.ofDecision(await view.load()),
  }),
)

builder.queryField('tenantExplanation', (t) =>
  t.field({
    type: TenantExplanation,
    authScopes: { scope: 'READ' },
    description: 'Explains to a tenant (an OpenStack project) whether its request could be placed now. Nothing is claimed.',
    args: {
      spec: t.arg({ type: SpecInput, required: true, description: 'The request to explain.' }),
      profile: t.arg.string({ description: 'The profile to use, as name or name@number; the profile `default` if absent.' }),
    },
    resolve: (_root, { spec, profile }, { tenantExplanations }) =>
      tenantExplanations.ofSpec(toSpecDocument(spec, ['spec']), profile ?? null),
  }),
)
