import { changeKinds } from '@gantt/scheduler-core'
import {
  type WhatWouldFitAnswer as Answer,
  type ChangePlace as ChangePlaceShape,
  type Counterfactual as CounterfactualShape,
  placeKinds,
} from '../../services/what-if/what-would-fit.ts'
import { builder } from '../builder.ts'
import { isOneOfSeveral } from '../host/other-nodes.ts'
import { Drain, drainDescription } from '../move/drain.ts'
import { toSpecInput } from '../placement/request-spec.ts'
import { RefusalCause } from '../types/reasons.ts'
import { CapacityCut } from './capacity.ts'
import { hypothesisFields, requestFields, toAskedRequest, toHypothesis } from './fleet-overlay.ts'

const ChangeKind = builder.enumType('ChangeKind', {
  description: 'What would have to change: the request, the fleet, or the policy.',
  values: changeKinds,
})

const WhatWouldFitInput = builder.inputType('WhatWouldFitInput', {
  description: 'A request that does not fit.',
  fields: (t) => ({
    ...requestFields(t, 'A request. For a decision, its original state and profile are used unless others are given.'),
    ...hypothesisFields(t),
    kinds: t.field({ type: [ChangeKind], description: 'Only changes of these kinds; all if not given.' }),
    maxChanges: t.int({ defaultValue: 2, description: 'The maximum number of changes at a time, 1 or 2.' }),
    first: t.int({ defaultValue: 10, description: 'The maximum number of answers, 1 to 50.' }),
    minHosts: t.int({ defaultValue: 1, description: 'Only answers that let at least this many hosts pass.' }),
  }),
})

const ChangePlaceKind = builder.enumType('ChangePlaceKind', {
  description: 'The kinds of objects that a change modifies.',
  values: placeKinds,
})

const ChangePlace = builder.objectRef<ChangePlaceShape>('ChangePlace').implement({
  description: 'The object that a change modifies.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ChangePlaceKind, description: 'The kind of the object.' }),
    name: t.exposeString('name', { description: 'Name of the host or the profile, uuid of the aggregate or the claim.' }),
  }),
})

const ProposedChange = builder.objectRef<CounterfactualShape['changes'][number]>('ProposedChange').implement({
  description: 'One change that is proposed.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ChangeKind, description: 'The kind of the change.' }),
    subject: t.exposeString('subject', { description: 'The field or setting that changes.' }),
    from: t.exposeString('from', { nullable: true, description: 'The present value; null if there is none.' }),
    to: t.exposeString('to', { description: 'The new value.' }),
    places: t.field({
      type: [ChangePlace],
      description: 'The objects that it modifies; empty for a change of the request, for a new host, and for a ratio of all hosts.',
      resolve: ({ places }) => [...places],
    }),
  }),
})

const CounterfactualHost = builder.objectRef<CounterfactualShape['exampleHosts'][number]>('CounterfactualHost').implement({
  description: 'A host that would pass; it may be a hypothetical one.',
  fields: (t) => ({
    hostName: t.exposeString('host', { description: 'Name of the host.' }),
    node: t.exposeString('node', { description: 'Name of the node.' }),
    hasOtherNodes: t.boolean({
      description: 'Whether its host has other present nodes, so that the name of the host alone means those too.',
      resolve: (name, _args, { hosts }) => isOneOfSeveral(hosts, name),
    }),
  }),
})

const Counterfactual = builder.objectRef<CounterfactualShape>('Counterfactual').implement({
  description: 'Changes with which the request was decided, and placed.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ChangeKind, description: 'The kind of its largest change: policy before fleet before request.' }),
    changes: t.field({
      type: [ProposedChange],
      description: 'The changes of the request, the fleet and the profile, which are applied together.',
      resolve: ({ changes }) => [...changes],
    }),
    unlocks: t.exposeInt('unlocks', { description: 'The number of hosts that pass every filter with the changes, while none did before.' }),
    exampleHosts: t.field({
      type: [CounterfactualHost],
      description: 'The host that would be chosen, then other passing hosts; at most five.',
      resolve: ({ exampleHosts }) => [...exampleHosts],
    }),
    verified: t.boolean({
      description: 'Always true: the request was decided with these changes and placed. Other changes are not listed.',
      resolve: ({ verified }) => verified,
    }),
    effort: t.exposeFloat('effort', { description: 'The effort of the changes: 1 is little (docs/what-if.md).' }),
    text: t.exposeString('text', { description: 'The changes as a sentence.' }),
    overlay: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The changes of the fleet as FleetOverlayInput; null if there are none.',
      resolve: ({ overlay }) => overlay,
    }),
    simulation: t.field({
      type: 'JSON',
      description: 'The changed question as SimulateInput, which simulate accepts unchanged.',
      resolve: ({ simulation: { request, ...rest } }) => ({ requests: [{ spec: toSpecInput(request) }], ...rest }),
    }),
  }),
})

const WhatWouldFitAnswer = builder.objectRef<Answer>('WhatWouldFitAnswer').implement({
  description: 'What would make a request fit. Nothing was changed.',
  fields: (t) => ({
    asOf: t.expose('asOf', { type: 'Revision', description: 'The state of the question.' }),
    drain: t.expose('drain', { type: Drain, nullable: true, description: drainDescription }),
    fits: t.exposeBoolean('fits', { description: 'Whether the request is placed without any change.' }),
    headline: t.exposeString('headline', { description: 'The result in one or two sentences.' }),
    counterfactuals: t.field({
      type: [Counterfactual],
      description: 'The answers with the least effort first, then those with most hosts.',
      resolve: ({ counterfactuals }) => [...counterfactuals],
    }),
    cause: t.field({
      type: RefusalCause,
      nullable: true,
      description: 'The cause of the refusal of the unchanged request; null if it fits.',
      resolve: ({ cause }) => cause,
    }),
    hostsLeftOut: t.exposeInt('leftOut', {
      description:
        'The number of refused hosts that were not considered although they may need less than those that were; `cut` is then set.',
    }),
    tried: t.exposeInt('runs', { description: 'The number of decisions that were tried.' }),
    cut: t.expose('cut', {
      type: CapacityCut,
      nullable: true,
      description:
        'The reason for which there may be further answers; null if all candidates were tried, which do not include every pair of changes.',
    }),
  }),
})

builder.queryFields((t) => ({
  whatWouldFit: t.field({
    type: WhatWouldFitAnswer,
    authScopes: { scope: 'READ' },
    description: 'The smallest changes of request, fleet or profile with which a request fits, each tried.',
    args: { input: t.arg({ type: WhatWouldFitInput, required: true, description: 'The request, and the fleet to try it on.' }) },
    resolve: (_root, { input }, { remedies }) =>
      remedies.find({
        ...toHypothesis(input),
        request: toAskedRequest(input, ['input']),
        kinds: input.kinds ?? null,
        maxChanges: input.maxChanges ?? 2,
        first: input.first ?? 10,
        minHosts: input.minHosts ?? 1,
      }),
  }),
}))
