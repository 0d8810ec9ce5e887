import { changeKinds } from '@gantt/scheduler-core'
import {
  type WhatWouldFitAnswer as Answer,
  type ChangePlace as ChangePlaceShape,
  type Counterfactual as CounterfactualShape,
  placeKinds,
} from '../services/what-would-fit.ts'
import { builder } from './builder.ts'
import { CapacityCut } from './capacity.ts'
import { Drain, drainDescription } from './drain.ts'
import { hypothesisFields, requestFields, toAskedRequest, toHypothesis } from './fleet-overlay.ts'
import { isOneOfSeveral } from './other-nodes.ts'
import { RefusalCause } from './reasons.ts'

const ChangeKind = builder.enumType('ChangeKind', {
  description: 'What would have to be other: what is asked, what is there, or how it is decided.',
  values: changeKinds,
})

const WhatWouldFitInput = builder.inputType('WhatWouldFitInput', {
  description: 'A request that does not fit.',
  fields: (t) => ({
    ...requestFields(t, 'Of a decision it is asked at the state that it met, by the profile that decided, unless told otherwise.'),
    ...hypothesisFields(t),
    kinds: t.field({ type: [ChangeKind], description: 'Only changes of these kinds; all if not given.' }),
    maxChanges: t.int({ defaultValue: 2, description: 'At most so many changes at a time, 1 or 2.' }),
    first: t.int({ defaultValue: 10, description: 'At most so many answers, 1 to 50.' }),
    minHosts: t.int({ defaultValue: 1, description: 'Only answers that let so many hosts pass.' }),
  }),
})

const ChangePlaceKind = builder.enumType('ChangePlaceKind', { description: 'What a change is done to.', values: placeKinds })

const ChangePlace = builder.objectRef<ChangePlaceShape>('ChangePlace').implement({
  description: 'Where a change is done.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ChangePlaceKind, description: 'What it is done to.' }),
    name: t.exposeString('name', { description: 'Name of the host or the profile, uuid of the aggregate or the claim.' }),
  }),
})

const ProposedChange = builder.objectRef<CounterfactualShape['changes'][number]>('ProposedChange').implement({
  description: 'One change.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ChangeKind, description: 'Of what.' }),
    subject: t.exposeString('subject', { description: 'What changes.' }),
    from: t.exposeString('from', { nullable: true, description: 'As it is; null where there is nothing.' }),
    to: t.exposeString('to', { description: 'As it would be.' }),
    places: t.field({
      type: [ChangePlace],
      description: 'Where it is done; none for what is asked otherwise, for a host that is not there yet, and for a ratio of all hosts.',
      resolve: ({ places }) => [...places],
    }),
  }),
})

const CounterfactualHost = builder.objectRef<CounterfactualShape['exampleHosts'][number]>('CounterfactualHost').implement({
  description: 'A host that would pass; it may be one that is not there.',
  fields: (t) => ({
    hostName: t.exposeString('host', { description: 'The host.' }),
    node: t.exposeString('node', { description: 'The node.' }),
    hasOtherNodes: t.boolean({
      description: 'Whether its host has other nodes that are there now: the name of the host alone means those too.',
      resolve: (name, _args, { hosts }) => isOneOfSeveral(hosts, name),
    }),
  }),
})

const Counterfactual = builder.objectRef<CounterfactualShape>('Counterfactual').implement({
  description: 'Changes with which the request was decided, and placed.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ChangeKind, description: 'Of the greatest of its changes: policy before fleet before request.' }),
    changes: t.field({ type: [ProposedChange], description: 'All of them together.', resolve: ({ changes }) => [...changes] }),
    unlocks: t.exposeInt('unlocks', { description: 'Hosts that pass every filter then, where none did.' }),
    exampleHosts: t.field({
      type: [CounterfactualHost],
      description: 'Where it would go, then others that pass; at most five.',
      resolve: ({ exampleHosts }) => [...exampleHosts],
    }),
    verified: t.boolean({
      description: 'True: it was decided with these changes, and placed. Others are not told.',
      resolve: ({ verified }) => verified,
    }),
    effort: t.exposeFloat('effort', { description: 'How much is to be done or given up for it: 1 is little (docs/what-if.md).' }),
    text: t.exposeString('text', { description: 'As a sentence.' }),
    overlay: t.field({
      type: 'JSON',
      nullable: true,
      description: 'As FleetOverlayInput; null where the fleet stays.',
      resolve: ({ overlay }) => overlay,
    }),
    simulation: t.field({
      type: 'JSON',
      description: 'The whole as SimulateInput: simulate takes it as it is.',
      resolve: ({ simulation }) => simulation,
    }),
  }),
})

const WhatWouldFitAnswer = builder.objectRef<Answer>('WhatWouldFitAnswer').implement({
  description: 'What would make a request fit. Nothing was changed.',
  fields: (t) => ({
    asOf: t.expose('asOf', { type: 'Revision', description: 'The state that it is about.' }),
    drain: t.expose('drain', { type: Drain, nullable: true, description: drainDescription }),
    fits: t.exposeBoolean('fits', { description: 'True: it is placed as it is, and nothing has to change.' }),
    headline: t.exposeString('headline', { description: 'As a sentence or two.' }),
    counterfactuals: t.field({
      type: [Counterfactual],
      description: 'Least effort first, then most hosts.',
      resolve: ({ counterfactuals }) => [...counterfactuals],
    }),
    cause: t.field({
      type: RefusalCause,
      nullable: true,
      description: 'Why no host takes it as it is; null where it fits.',
      resolve: ({ cause }) => cause,
    }),
    tried: t.exposeInt('runs', { description: 'Decisions that were tried.' }),
    cut: t.expose('cut', {
      type: CapacityCut,
      nullable: true,
      description: 'Why there may be more; null when all that was thought of was tried, of two changes not every pair.',
    }),
  }),
})

builder.queryFields((t) => ({
  whatWouldFit: t.field({
    type: WhatWouldFitAnswer,
    authScopes: { scope: 'READ' },
    description: 'The smallest changes of request, fleet or profile with which a request fits, each tried.',
    args: { input: t.arg({ type: WhatWouldFitInput, required: true, description: 'The question.' }) },
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
