import { NOT_THERE, withoutGone } from '@gantt/scheduler-core'
import { keptCause } from '../../replica/propose/kept-cause.ts'
import type { Subject } from '../../services/explanation/explain.ts'
import { nearMissesOf, reasonsOf, selectionOf } from '../../services/explanation/explanation.ts'
import { headlineOf, textOf } from '../../services/explanation/explanation-text.ts'
import { weighingOf } from '../../services/explanation/weighing.ts'
import { builder } from '../builder.ts'
import { SpecInput, toSpecDocument } from '../placement/request-spec.ts'
import { ResourceNameInput } from '../types/common.ts'
import { pageArgs } from '../types/connection.ts'
import { idOf } from '../types/ids.ts'
import { ReasonCount, RefusalCause } from '../types/reasons.ts'
import { Explanation, ProfileVersion } from '../types/refs.ts'
import { FilterStep, SelectionNote, ShadowFilterStep, Weighing } from './funnel.ts'
import { HostOutcome, HostVerdict, HostVerdictConnection } from './verdict.ts'
import { VerdictMatrix } from './verdict-matrix.ts'

/** How reliable a replay is. */
export const Fidelity = builder.enumType('Fidelity', {
  description:
    'RECORDED: as stored; REPLAYED: repeated, equal bit for bit; APPROXIMATE: by other code or on another state than the original.',
  values: ['RECORDED', 'REPLAYED', 'APPROXIMATE'] as const,
})

const VerdictFilter = builder.inputType('VerdictFilter', {
  description: 'A choice among the hosts of an explanation.',
  fields: (t) => ({
    outcome: t.field({ type: [HostOutcome], description: 'Only hosts with one of these results.' }),
    rejectedBy: t.stringList({ description: 'Only hosts that one of these filters refused first.' }),
    reason: t.stringList({ description: 'Only hosts whose first refusal has one of these codes.' }),
    refusedBy: t.stringList({ description: 'Only hosts that all of these filters refuse, each evaluated independently.' }),
    refusedOnlyBy: t.stringList({
      description: 'Only hosts that one of these filters refuses and no other does: the hosts that soleRejections counts.',
    }),
    reached: t.stringList({ description: 'Only hosts that reached each of these filters: the hosts that entered counts.' }),
    passed: t.stringList({ description: 'Only hosts that passed each of these filters: the hosts that passed counts.' }),
    tied: t.boolean({ description: 'True: only hosts that share the best total, which SelectionNote.tied counts.' }),
    hosts: t.field({ type: [ResourceNameInput], description: 'Only these hosts, at most 500.' }),
    query: t.string({ description: 'A filter in the filter grammar (docs/query.md) with host, node and words of the name.' }),
  }),
})

const VerdictOrder = builder.enumType('VerdictOrder', {
  description:
    'RANK: passing hosts by rank, then the refused ones, the latest refusal first; NAME: by name; DISTANCE: passing hosts by rank, then the refused ones, nearest first.',
  values: ['RANK', 'NAME', 'DISTANCE'] as const,
})

const TextFormat = builder.enumType('TextFormat', { description: 'The format of a text.', values: ['MARKDOWN', 'PLAIN'] as const })

Explanation.implement({
  description: 'The evaluation of one instance of a request, host by host.',
  fields: (t) => ({
    headline: t.string({ description: 'The result, in a sentence with numbers.', resolve: (examined) => headlineOf(examined) }),
    cause: t.field({
      type: RefusalCause,
      nullable: true,
      description: 'Why no host passes; null if one does.',
      resolve: ({ cause }) => cause && keptCause(cause),
    }),
    matrix: t.field({
      type: VerdictMatrix,
      description: "All filters' verdicts on all hosts, as columns.",
      resolve: async (examined) => {
        const matrix = await examined.matrix()
        // hosts that have left the fleet have no verdict and no position among the others
        const names = examined.names.filter((_, index) => matrix.firstRefusing[index] !== NOT_THERE)
        return { matrix: withoutGone(matrix), names }
      },
    }),
    nearMisses: t.field({
      type: [HostVerdict],
      description: 'Refused hosts, nearest to passing first; hosts that the request does not admit come last.',
      args: { first: t.arg.int({ defaultValue: 10, description: 'The maximum number of hosts, 1 to 100.' }) },
      resolve: (examined, { first }) => nearMissesOf(examined, first ?? 10),
    }),
    fidelity: t.field({ type: Fidelity, description: 'How reliable the explanation is.', resolve: ({ question }) => question.fidelity }),
    fleetRevision: t.field({
      type: 'Revision',
      description: 'The revision of the fleet that it is about.',
      resolve: ({ question }) => question.basis,
    }),
    profile: t.field({
      type: ProfileVersion,
      description: 'The profile version that was used.',
      resolve: ({ question }) => question.profile,
    }),
    instanceIndex: t.exposeInt('instance', { description: 'The index of the instance in the request.' }),
    hostCount: t.exposeInt('hostCount', { description: 'The number of all hosts.' }),
    steps: t.field({
      type: [FilterStep],
      description: 'The funnel, in the order of evaluation.',
      resolve: ({ steps, isShortCircuited }) => steps.map((step, index) => ({ ...step, index, isShortCircuited })),
    }),
    shadowSteps: t.field({
      type: [ShadowFilterStep],
      description: "The profile's filters in shadow mode: they refuse no host and are not among the steps.",
      resolve: ({ shadows }) => [...shadows],
    }),
    reasons: t.field({
      type: [ReasonCount],
      description:
        'Why hosts were refused, each reason once: in the order of the cause if no host passes, otherwise the most frequent first.',
      resolve: reasonsOf,
    }),
    verdicts: t.field({
      type: HostVerdictConnection,
      description: 'The verdicts on single hosts.',
      args: {
        ...pageArgs(),
        filter: t.arg({ type: VerdictFilter, description: 'Only hosts that match this.' }),
        orderBy: t.arg({ type: VerdictOrder, defaultValue: 'RANK', description: 'Order of the list.' }),
      },
      resolve: (examined, { filter, orderBy, ...page }, { explain }) => explain.verdicts(examined, page, filter ?? {}, orderBy ?? 'RANK'),
    }),
    weighing: t.field({
      type: Weighing,
      description: 'How the passing hosts were ranked.',
      args: {
        instanceIndex: t.arg.int({ description: 'The index of the instance; by default the explained one.' }),
        top: t.arg.int({ defaultValue: 50, description: 'The maximum number of hosts, 1 to 500.' }),
      },
      resolve: (examined, { instanceIndex, top }) => weighingOf(examined, instanceIndex ?? examined.instance, top ?? 50),
    }),
    selection: t.field({ type: SelectionNote, description: 'How the host was chosen among the best ones.', resolve: selectionOf }),
    text: t.string({
      description: 'The whole explanation as a page for people.',
      args: { format: t.arg({ type: TextFormat, defaultValue: 'MARKDOWN', description: 'The format of the page.' }) },
      resolve: (examined, { format }) => textOf(examined, format ?? 'MARKDOWN'),
    }),
  }),
})

export const ExplainSubject = builder.inputType('ExplainSubject', {
  description: 'The subject of an explanation.',
  isOneOf: true,
  fields: (t) => ({
    decisionId: t.id({ description: 'The decision to explain.' }),
    requestSpecId: t.id({ description: 'A decision that was made.' }),
    spec: t.field({ type: SpecInput, description: 'A request that was not made; nothing is claimed.' }),
  }),
})

type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0]

/** The fields that both explanations have. */
export const explainFields = (t: InputFields) => ({
  subject: t.field({ type: ExplainSubject, required: true, description: 'The decision or request to explain.' }),
  at: t.field({ type: 'Revision', description: 'Use the fleet of this revision instead.' }),
  profile: t.string({ description: 'Use this profile instead, name or name@number.' }),
  instanceIndex: t.int({ description: 'The index of the instance; by default the one that was not placed, otherwise the first.' }),
})

const ExplainPlacementInput = builder.inputType('ExplainPlacementInput', {
  description: 'A question about a placement.',
  fields: (t) => ({
    ...explainFields(t),
    shortCircuit: t.boolean({
      defaultValue: false,
      description:
        'True: filters are not evaluated on hosts that an earlier filter refused, as in a decision. Then sole rejections are not known, and bits and distances are those of the first refusal.',
    }),
  }),
})

export function toSubject({ decisionId, requestSpecId, spec }: typeof ExplainSubject.$inferInput): Subject {
  const path = ['input', 'subject']
  // one of them is given, possibly as an empty text
  if (typeof decisionId === 'string') return { type: 'decision', id: idOf('Decision', decisionId, [...path, 'decisionId']) }
  if (typeof requestSpecId === 'string') return { type: 'request-spec', id: idOf('RequestSpec', requestSpecId, [...path, 'requestSpecId']) }
  return { type: 'spec', spec: toSpecDocument(spec ?? {}, [...path, 'spec']) }
}

builder.queryFields((t) => ({
  explainPlacement: t.field({
    type: Explanation,
    authScopes: { scope: 'READ' },
    description: 'Why a request is placed on its hosts, or on none.',
    args: { input: t.arg({ type: ExplainPlacementInput, required: true, description: 'The decision or request to explain, and how.' }) },
    resolve: (_root, { input: { subject, instanceIndex: instance, ...options } }, { explain }) =>
      explain.explain(toSubject(subject), { ...options, instance }),
  }),
}))
