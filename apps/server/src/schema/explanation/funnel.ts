import { type ExaminedStep, reasonText, type ShadowStep } from '@gantt/scheduler-core'
import type { SelectionNote as Note } from '../../services/explanation/explanation.ts'
import type { WeigherMeta as Meta, Weighing as WeighingShape } from '../../services/explanation/weighing.ts'
import { builder } from '../builder.ts'
import { ReasonCount } from '../types/reasons.ts'
import { HostVerdict } from './verdict.ts'

export const FilterStep = builder
  .objectRef<ExaminedStep & { readonly index: number; readonly isShortCircuited: boolean }>('FilterStep')
  .implement({
    description: 'One filter in the funnel.',
    fields: (t) => ({
      index: t.exposeInt('index', { description: 'The number in the order of evaluation.' }),
      name: t.exposeString('filter', { description: 'Name of the filter.' }),
      entered: t.exposeInt('entered', { description: 'The number of hosts before the filter.' }),
      passed: t.exposeInt('passed', { description: 'Number of hosts that are left after the filter.' }),
      rejected: t.int({ description: 'The number of hosts that it refused.', resolve: ({ entered, passed }) => entered - passed }),
      reasons: t.field({
        type: [ReasonCount],
        description: 'Reasons of the refusals, the most frequent first.',
        resolve: ({ reasons }) => reasons.map(({ filter, code, hosts, example }) => ({ filter, code, hosts, text: reasonText(example) })),
      }),
      skippedBecause: t.string({
        nullable: true,
        description: 'Why it did not run.',
        resolve: ({ asked }) => (asked ? null : 'The request has no demand for this filter.'),
      }),
      isNet: t.exposeBoolean('isNet', {
        description:
          "True if it is not part of the profile, but a rule for every claim, evaluated on hosts that the profile's own filters passed.",
      }),
      soleRejections: t.int({
        nullable: true,
        description: 'Hosts that only this filter refuses: without it they would have passed. Null with shortCircuit: not known.',
        resolve: ({ soleRejections, isShortCircuited }) => (isShortCircuited ? null : soleRejections),
      }),
    }),
  })

export const ShadowFilterStep = builder.objectRef<ShadowStep>('ShadowFilterStep').implement({
  description: 'What a filter in shadow mode would have refused.',
  fields: (t) => ({
    name: t.exposeString('filter', { description: 'Name of the filter.' }),
    isAsked: t.exposeBoolean('asked', { description: 'False if the request has no demand for this filter.' }),
    wouldReject: t.exposeInt('wouldRefuse', { description: 'Hosts that it would refuse, evaluated independently.' }),
    ofThosePassing: t.exposeInt('ofThosePassing', {
      description: 'Hosts of these that passed every filter, and would be lost with it.',
    }),
    reasons: t.field({
      type: [ReasonCount],
      description: 'Reasons of the refusals, the most frequent first.',
      resolve: ({ reasons }) => reasons.map(({ filter, code, hosts, example }) => ({ filter, code, hosts, text: reasonText(example) })),
    }),
  }),
})

const WeigherMeta = builder.objectRef<Meta>('WeigherMeta').implement({
  description: 'The results of one weigher.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the weigher.' }),
    unit: t.exposeString('unit', { description: 'The unit of the raw numbers.' }),
    multiplier: t.exposeFloat('multiplier', { description: 'The multiplier of hosts without their own.' }),
    multiplierVaries: t.exposeBoolean('multiplierVaries', { description: 'True if aggregates gave a host its own multiplier.' }),
    min: t.exposeFloat('min', { description: 'The least raw number.' }),
    max: t.exposeFloat('max', { description: 'The greatest raw number.' }),
    spread: t.exposeFloat('spread', { description: 'Difference between the greatest and the least raw number.' }),
    decisive: t.boolean({
      description: 'True if another host would win without the weigher.',
      resolve: (weigher) => weigher.without().isDecisive,
    }),
    winnerWithout: t.string({
      nullable: true,
      description: 'The host that would rank first without the weigher, as host or host/node.',
      resolve: (weigher) => weigher.without().winner,
    }),
    idle: t.boolean({
      description: 'True if the first ten hosts would be the same without the weigher, in the same order.',
      resolve: (weigher) => weigher.without().isIdle,
    }),
    flipsBelow: t.float({
      nullable: true,
      description:
        'The nearest lower multiplier at which another host ranks first while all other multipliers are unchanged: at the next higher floating-point number the winner is still the same. Null: none down to -1e9.',
      resolve: (weigher) => weigher.flips().below?.multiplier,
    }),
    winnerBelow: t.string({
      nullable: true,
      description: 'The host that ranks first there, as host or host/node.',
      resolve: (weigher) => weigher.flips().below?.winner,
    }),
    flipsAbove: t.float({
      nullable: true,
      description: 'The nearest higher multiplier, as in flipsBelow; null if there is none up to 1e9.',
      resolve: (weigher) => weigher.flips().above?.multiplier,
    }),
    winnerAbove: t.string({
      nullable: true,
      description: 'The host that ranks first there, as host or host/node.',
      resolve: (weigher) => weigher.flips().above?.winner,
    }),
  }),
})

export const Weighing = builder.objectRef<WeighingShape>('Weighing').implement({
  description: 'How the passing hosts were ranked.',
  fields: (t) => ({
    weighers: t.field({ type: [WeigherMeta], description: 'In the order of the profile.', resolve: ({ weighers }) => [...weighers] }),
    hosts: t.field({ type: [HostVerdict], description: 'The hosts with their weights, best first.', resolve: ({ hosts }) => [...hosts] }),
    truncatedAt: t.exposeInt('truncatedAt', { description: 'The number of listed hosts.' }),
    candidateCount: t.exposeInt('candidateCount', { description: 'Number of hosts that passed the filters.' }),
    margin: t.exposeFloat('margin', {
      nullable: true,
      description:
        'The total of the first host minus that of the second; 0 if their order among equals decided, null if fewer than two hosts passed.',
    }),
    note: t.exposeString('note', {
      nullable: true,
      description: 'What margin and limits refer to, if the choice depends on more than the ranks, or no weigher ran.',
    }),
  }),
})

export const SelectionNote = builder.objectRef<Note>('SelectionNote').implement({
  description: 'How the host was chosen among the best ones.',
  fields: (t) => ({
    subsetSize: t.exposeInt('subsetSize', { description: 'One of this many best hosts is chosen.' }),
    seed: t.exposeString('seed', { nullable: true, description: 'The seed of the choice.' }),
    pickedRank: t.exposeInt('pickedRank', { description: 'The rank of the chosen host; 0 if none was chosen.' }),
    tied: t.exposeInt('tied', { description: 'The number of hosts that share the best total.' }),
    text: t.exposeString('text', { description: 'The note as a sentence.' }),
  }),
})
