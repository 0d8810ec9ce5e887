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
  description: 'What a proposed change modifies: the request, the fleet, or the policy (the profile).',
  values: changeKinds,
})

const WhatWouldFitInput = builder.inputType('WhatWouldFitInput', {
  description: 'A request that does not fit, and which changes to search for.',
  fields: (t) => ({
    ...requestFields(t, 'The request that does not fit. For a decision, its original state and profile are used unless others are given.'),
    ...hypothesisFields(t),
    kinds: t.field({ type: [ChangeKind], description: 'Only changes of these kinds; by default changes of any kind.' }),
    maxChanges: t.int({ defaultValue: 2, description: 'At most this many changes in one answer, 1 or 2.' }),
    first: t.int({ defaultValue: 10, description: 'At most this many answers, 1 to 50.' }),
    minHosts: t.int({ defaultValue: 1, description: 'Only answers that let at least this many hosts pass.' }),
  }),
})

const ChangePlaceKind = builder.enumType('ChangePlaceKind', {
  description: 'The kinds of objects that a change can modify.',
  values: placeKinds,
})

const ChangePlace = builder.objectRef<ChangePlaceShape>('ChangePlace').implement({
  description: 'The object that a change modifies.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ChangePlaceKind, description: 'The kind of the object.' }),
    name: t.exposeString('name', { description: 'The name of the host or profile, or the UUID of the aggregate or claim.' }),
  }),
})

const ProposedChange = builder.objectRef<CounterfactualShape['changes'][number]>('ProposedChange').implement({
  description: 'One proposed change to the request, the fleet or the profile.',
  fields: (t) => ({
    kind: t.expose('kind', {
      type: ChangeKind,
      description: 'What the change modifies: the request, the fleet, or the policy (the profile).',
    }),
    subject: t.exposeString('subject', { description: 'The field or setting that changes.' }),
    from: t.exposeString('from', { nullable: true, description: 'The present value; null if the field or setting has no value.' }),
    to: t.exposeString('to', { description: 'The new value.' }),
    places: t.field({
      type: [ChangePlace],
      description: 'The objects that the change modifies. Empty for a change to the request, for a new host, and for a ratio of all hosts.',
      resolve: ({ places }) => [...places],
    }),
  }),
})

const CounterfactualHost = builder.objectRef<CounterfactualShape['exampleHosts'][number]>('CounterfactualHost').implement({
  description: 'A host that would pass every filter. It may be a hypothetical host.',
  fields: (t) => ({
    hostName: t.exposeString('host', { description: 'Name of the host.' }),
    node: t.exposeString('node', { description: 'Name of the node.' }),
    hasOtherNodes: t.boolean({
      description: 'True if the host has more nodes than this one. The name of the host without a node then stands for all its nodes.',
      resolve: (name, _args, { hosts }) => isOneOfSeveral(hosts, name),
    }),
  }),
})

const Counterfactual = builder.objectRef<CounterfactualShape>('Counterfactual').implement({
  description: 'A set of changes with which the request was decided and placed.',
  fields: (t) => ({
    kind: t.expose('kind', {
      type: ChangeKind,
      description: 'The kind of the largest change, where policy is larger than fleet, and fleet is larger than request.',
    }),
    changes: t.field({
      type: [ProposedChange],
      description: 'The changes to the request, the fleet and the profile, which are applied together.',
      resolve: ({ changes }) => [...changes],
    }),
    unlocks: t.exposeInt('unlocks', {
      description: 'How many hosts pass every filter with the changes. Without the changes, no host did.',
    }),
    exampleHosts: t.field({
      type: [CounterfactualHost],
      description: 'The host that would be chosen, then other hosts that would pass; at most five.',
      resolve: ({ exampleHosts }) => [...exampleHosts],
    }),
    verified: t.boolean({
      description: 'Always true. Changes are listed only after the request was decided with them and placed.',
      resolve: ({ verified }) => verified,
    }),
    effort: t.exposeFloat('effort', { description: 'The effort of the changes on the scale of docs/what-if.md, where 1 is little.' }),
    text: t.exposeString('text', { description: 'The changes, described in a sentence.' }),
    overlay: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The changes to the fleet in the form of FleetOverlayInput; null if the fleet is not changed.',
      resolve: ({ overlay }) => overlay,
    }),
    simulation: t.field({
      type: 'JSON',
      description: 'The request with the changes in the form of SimulateInput, which `simulate` accepts without further edits.',
      resolve: ({ simulation: { request, ...rest } }) => ({ requests: [{ spec: toSpecInput(request) }], ...rest }),
    }),
  }),
})

const WhatWouldFitAnswer = builder.objectRef<Answer>('WhatWouldFitAnswer').implement({
  description: 'Changes that would make a request fit. Nothing was changed.',
  fields: (t) => ({
    asOf: t.expose('asOf', { type: 'Revision', description: 'The revision of the fleet on which the changes were tried.' }),
    drain: t.expose('drain', { type: Drain, nullable: true, description: drainDescription }),
    fits: t.exposeBoolean('fits', { description: 'True if the request is placed without any change.' }),
    headline: t.exposeString('headline', { description: 'The result in one or two sentences.' }),
    counterfactuals: t.field({
      type: [Counterfactual],
      description:
        'The sets of changes with which the request fits, least effort first; with equal effort, the set with which the most hosts pass comes first.',
      resolve: ({ counterfactuals }) => [...counterfactuals],
    }),
    cause: t.field({
      type: RefusalCause,
      nullable: true,
      description: 'Why the unchanged request is refused; null if it fits.',
      resolve: ({ cause }) => cause,
    }),
    hostsLeftOut: t.exposeInt('leftOut', {
      description:
        'How many refused hosts were not examined although they may need smaller changes than the examined ones. If it is not 0, `cut` is set.',
    }),
    tried: t.exposeInt('runs', { description: 'How many decisions were tried.' }),
    cut: t.expose('cut', {
      type: CapacityCut,
      nullable: true,
      description:
        'Why the search ended early, so that there may be further answers. Null if all candidates were tried. The candidates do not include every pair of changes.',
    }),
  }),
})

builder.queryFields((t) => ({
  whatWouldFit: t.field({
    type: WhatWouldFitAnswer,
    authScopes: { scope: 'READ' },
    description: 'The smallest changes to the request, the fleet or the profile with which a request fits. Each proposal was tried.',
    args: { input: t.arg({ type: WhatWouldFitInput, required: true, description: 'The request, and the fleet on which to try it.' }) },
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
