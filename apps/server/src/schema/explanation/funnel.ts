import { type ExaminedStep, reasonText, type ShadowStep } from '@gantt/scheduler-core'
import type { SelectionNote as Note } from '../../services/explanation/explanation.ts'
import type { WeigherMeta as Meta, Weighing as WeighingShape } from '../../services/explanation/weighing.ts'
import { builder } from '../builder.ts'
import { ReasonCount } from '../types/reasons.ts'
import { HostVerdict } from './verdict.ts'

export const FilterStep = builder
  .objectRef<ExaminedStep & { readonly index: number; readonly isShortCircuited: boolean }>('FilterStep')
  .implement({
    description: 'One filter, with the counts of hosts that reached and passed it.',
    fields: (t) => ({
      index: t.exposeInt('index', { description: 'The position of the filter in the order of evaluation.' }),
      name: t.exposeString('filter', { description: 'Name of the filter.' }),
      entered: t.exposeInt('entered', { description: 'How many hosts reached the filter.' }),
      passed: t.exposeInt('passed', { description: 'How many hosts passed the filter.' }),
      rejected: t.int({ description: 'How many hosts the filter refused.', resolve: ({ entered, passed }) => entered - passed }),
      reasons: t.field({
        type: [ReasonCount],
        description: 'Why the filter refused hosts, the most frequent reason first.',
        resolve: ({ reasons }) => reasons.map(({ filter, code, hosts, example }) => ({ filter, code, hosts, text: reasonText(example) })),
      }),
      skippedBecause: t.string({
        nullable: true,
        description: 'Why the filter did not run; null if it ran.',
        resolve: ({ asked }) => (asked ? null : 'The request has no demand for this filter.'),
      }),
      isNet: t.exposeBoolean('isNet', {
        description:
          'True if the filter is not part of the profile, but a rule that every claim must keep. It is evaluated on hosts that pass all filters of the profile.',
      }),
      soleRejections: t.int({
        nullable: true,
        description:
          'How many hosts only this filter refuses, so that they would pass without it. Null with `shortCircuit`, because later filters were not evaluated then.',
        resolve: ({ soleRejections, isShortCircuited }) => (isShortCircuited ? null : soleRejections),
      }),
    }),
  })

export const ShadowFilterStep = builder.objectRef<ShadowStep>('ShadowFilterStep').implement({
  description: 'How many hosts a filter in shadow mode would have refused, and why.',
  fields: (t) => ({
    name: t.exposeString('filter', { description: 'Name of the filter.' }),
    isAsked: t.exposeBoolean('asked', { description: 'False if the request does not use the filter.' }),
    wouldReject: t.exposeInt('wouldRefuse', {
      description: 'How many hosts the filter would refuse, evaluated on all hosts independently of other filters.',
    }),
    ofThosePassing: t.exposeInt('ofThosePassing', {
      description: 'How many hosts that pass every other filter would be refused by this filter.',
    }),
    reasons: t.field({
      type: [ReasonCount],
      description: 'Why the filter would refuse hosts, the most frequent reason first.',
      resolve: ({ reasons }) => reasons.map(({ filter, code, hosts, example }) => ({ filter, code, hosts, text: reasonText(example) })),
    }),
  }),
})

const WeigherMeta = builder.objectRef<Meta>('WeigherMeta').implement({
  description: 'How one weigher affected the ranking of the passing hosts.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the weigher.' }),
    unit: t.exposeString('unit', { description: 'The unit of the raw values.' }),
    multiplier: t.exposeFloat('multiplier', { description: 'The multiplier of hosts whose aggregates do not set one.' }),
    multiplierVaries: t.exposeBoolean('multiplierVaries', { description: 'True if the aggregates of a host set another multiplier.' }),
    min: t.exposeFloat('min', { description: 'The least raw value.' }),
    max: t.exposeFloat('max', { description: 'The greatest raw value.' }),
    spread: t.exposeFloat('spread', { description: 'The greatest raw value minus the least.' }),
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
      description: 'True if, without the weigher, the first ten hosts would be the same in the same order.',
      resolve: (weigher) => weigher.without().isIdle,
    }),
    flipsBelow: t.float({
      nullable: true,
      description:
        'The nearest lower multiplier at which another host ranks first while all other multipliers are unchanged. At the next higher floating-point number the present winner still ranks first. Null if there is none down to -1e9.',
      resolve: (weigher) => weigher.flips().below?.multiplier,
    }),
    winnerBelow: t.string({
      nullable: true,
      description: 'The host that ranks first at `flipsBelow`, as host or host/node.',
      resolve: (weigher) => weigher.flips().below?.winner,
    }),
    flipsAbove: t.float({
      nullable: true,
      description: 'The nearest higher multiplier at which another host ranks first, as in `flipsBelow`; null if there is none up to 1e9.',
      resolve: (weigher) => weigher.flips().above?.multiplier,
    }),
    winnerAbove: t.string({
      nullable: true,
      description: 'The host that ranks first at `flipsAbove`, as host or host/node.',
      resolve: (weigher) => weigher.flips().above?.winner,
    }),
  }),
})

export const Weighing = builder.objectRef<WeighingShape>('Weighing').implement({
  description: 'How the passing hosts were ranked.',
  fields: (t) => ({
    weighers: t.field({
      type: [WeigherMeta],
      description: 'How each weigher affected the ranking, in the order of the profile.',
      resolve: ({ weighers }) => [...weighers],
    }),
    hosts: t.field({
      type: [HostVerdict],
      description: 'The passing hosts with their scores, best first.',
      resolve: ({ hosts }) => [...hosts],
    }),
    truncatedAt: t.exposeInt('truncatedAt', { description: 'How many hosts are listed.' }),
    candidateCount: t.exposeInt('candidateCount', { description: 'How many hosts passed the filters.' }),
    margin: t.exposeFloat('margin', {
      nullable: true,
      description:
        'The total score of the first host minus that of the second host. 0 if their scores are equal and the tie order decided. Null if fewer than two hosts passed or no weigher ran.',
    }),
    note: t.exposeString('note', {
      nullable: true,
      description:
        'An explanation of `margin` and of the multiplier limits if the choice depends on more than the ranks, or if no weigher ran; null in all other cases.',
    }),
  }),
})

export const SelectionNote = builder.objectRef<Note>('SelectionNote').implement({
  description: 'How the host was chosen among the best hosts.',
  fields: (t) => ({
    subsetSize: t.exposeInt('subsetSize', { description: 'The host was chosen among this many best hosts.' }),
    seed: t.exposeString('seed', { nullable: true, description: 'The seed of the random choice; null if nothing was random.' }),
    pickedRank: t.exposeInt('pickedRank', { description: 'The rank of the chosen host; 0 if no host was chosen.' }),
    tied: t.exposeInt('tied', { description: 'How many hosts share the best total score.' }),
    text: t.exposeString('text', { description: 'How the host was chosen, as a sentence.' }),
  }),
})
