import { tenantDemands } from '@gantt/scheduler-core'
import type { DemandTold, TenantExplanation as TenantExplanationShape } from '../services/tenant-explanation.ts'
import { builder } from './builder.ts'
import { DecisionOutcome } from './decision.ts'
import { Decision } from './refs.ts'
import { SpecInput, toSpecDocument } from './request-spec.ts'

const TenantDemandKind = builder.enumType('TenantDemandKind', {
  description: 'What a request asks of a host, in words that a project knows. New ones may come.',
  values: Object.keys(tenantDemands) as (keyof typeof tenantDemands)[],
})

const TenantDemandState = builder.enumType('TenantDemandState', {
  description: 'How far a demand is met by any host at all.',
  values: {
    MET: { description: 'Some host meets it, and the demands before it.' },
    IN_THE_WAY: { description: 'No host meets it beside the demands before it.' },
    NOT_TOLD: { description: 'Neither is said: it was not asked any more, or it is not for the project to know.' },
  } as const,
})

const TenantDemand = builder.objectRef<DemandTold>('TenantDemand').implement({
  description: 'One thing that the request asks of a host.',
  fields: (t) => ({
    kind: t.expose('demand', { type: TenantDemandKind, description: 'What.' }),
    asked: t.exposeString('asked', { description: 'How the request says it.' }),
    state: t.expose('state', { type: TenantDemandState, description: 'Whether it is in the way.' }),
    text: t.exposeString('text', { description: 'The same for people, and what would help; never parse it.' }),
  }),
})

const TenantExplanation = builder.objectRef<TenantExplanationShape>('TenantExplanation').implement({
  description:
    'What a project may know of how its request was placed: built from the request and from which of its own demands no host met. It names no host and counts none; nothing in it could not be learned by placing parts of the same request.',
  fields: (t) => ({
    outcome: t.expose('outcome', { type: DecisionOutcome, description: 'How it ended, or would end.' }),
    instanceCount: t.exposeInt('instanceCount', { description: 'Instances asked for.' }),
    placedCount: t.exposeInt('placedCount', {
      description: 'Instances that found a place before one did not; of a request that nobody made yet, all or 0.',
    }),
    headline: t.exposeString('headline', { description: 'The whole in a sentence or two.' }),
    demands: t.field({
      type: [TenantDemand],
      description: 'What the request asks of a host, in the order in which it is asked.',
      resolve: ({ demands }) => [...demands],
    }),
    isInYourHands: t.exposeBoolean('isInYourHands', {
      nullable: true,
      description: 'True: another request may be placed. Null: nothing is in the way, or what is in the way is the operators’.',
    }),
  }),
})

builder.objectField(Decision, 'tenantExplanation', (t) =>
  t.field({
    type: TenantExplanation,
    description: 'What its project may know of it.',
    resolve: async (view, _args, { tenantExplanations }) => tenantExplanations.ofDecision(await view.load()),
  }),
)

builder.queryField('tenantExplanation', (t) =>
  t.field({
    type: TenantExplanation,
    authScopes: { scope: 'READ' },
    description: 'What its project may know of how a request would be placed now. Nothing is claimed.',
    args: {
      spec: t.arg({ type: SpecInput, required: true, description: 'What would be placed.' }),
      profile: t.arg.string({ description: 'name or name@number; the profile default if not given.' }),
    },
    resolve: (_root, { spec, profile }, { tenantExplanations }) =>
      tenantExplanations.ofSpec(toSpecDocument(spec, ['spec']), profile ?? null),
  }),
)
