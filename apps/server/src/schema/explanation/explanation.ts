import { NOT_PRESENT, withoutGone } from '@gantt/scheduler-core'
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
    'How reliable a result is. RECORDED: as stored. REPLAYED: computed again with a result that is equal bit for bit. APPROXIMATE: computed by other code or on another state than the original.',
  values: ['RECORDED', 'REPLAYED', 'APPROXIMATE'] as const,
})

const VerdictFilter = builder.inputType('VerdictFilter', {
  description: 'Conditions on the hosts of an explanation.',
  fields: (t) => ({
    outcome: t.field({ type: [HostOutcome], description: 'Only hosts with one of these results.' }),
    rejectedBy: t.stringList({ description: 'Only hosts whose first refusal was by one of these filters.' }),
    reason: t.stringList({ description: 'Only hosts whose first refusal has one of these codes.' }),
    refusedBy: t.stringList({
      description: 'Only hosts that every one of these filters refuses. Each filter is evaluated independently of the others.',
    }),
    refusedOnlyBy: t.stringList({
      description:
        'Only hosts that one of these filters refuses and no other filter does, which are the hosts that `FilterStep.soleRejections` counts.',
    }),
    reached: t.stringList({
      description: 'Only hosts that reached every one of these filters, which are the hosts that `FilterStep.entered` counts.',
    }),
    passed: t.stringList({
      description: 'Only hosts that passed every one of these filters, which are the hosts that `FilterStep.passed` counts.',
    }),
    tied: t.boolean({
      description: 'True: only hosts that share the best total score, which are the hosts that `SelectionNote.tied` counts.',
    }),
    hosts: t.field({ type: [ResourceNameInput], description: 'Only these hosts, at most 500.' }),
    query: t.string({
      description: 'A filter in the filter grammar (docs/query.md), with the fields `host` and `node` and with words of the name.',
    }),
  }),
})

const VerdictOrder = builder.enumType('VerdictOrder', {
  description:
    'How verdicts are sorted. RANK: passing hosts by rank, then refused hosts, the host with the latest refusing filter first. NAME: all hosts by name. DISTANCE: passing hosts by rank, then refused hosts, the host nearest to passing first.',
  values: ['RANK', 'NAME', 'DISTANCE'] as const,
})

const TextFormat = builder.enumType('TextFormat', { description: 'The format of a text.', values: ['MARKDOWN', 'PLAIN'] as const })

Explanation.implement({
  description: 'The evaluation of one instance of a request, host by host.',
  fields: (t) => ({
    headline: t.string({ description: 'The result in one sentence, with numbers.', resolve: (examined) => headlineOf(examined) }),
    cause: t.field({
      type: RefusalCause,
      nullable: true,
      description: 'Why no host passes; null if a host passes.',
      resolve: ({ cause, way }) => cause && keptCause(cause, way),
    }),
    matrix: t.field({
      type: VerdictMatrix,
      description: 'The results of all filters on all hosts, as columns.',
      resolve: async (examined) => {
        const matrix = await examined.matrix()
        // hosts that have left the fleet have no verdict and are omitted from both lists
        const names = examined.hosts.filter((_, index) => matrix.firstRefusing[index] !== NOT_PRESENT)
        return { matrix: withoutGone(matrix), names }
      },
    }),
    nearMisses: t.field({
      type: [HostVerdict],
      description: 'The refused hosts, nearest to passing first. Hosts that the request does not admit come last.',
      args: { first: t.arg.int({ defaultValue: 10, description: 'At most this many hosts are listed, 1 to 100.' }) },
      resolve: (examined, { first }) => nearMissesOf(examined, first ?? 10),
    }),
    fidelity: t.field({ type: Fidelity, description: 'How reliable the explanation is.', resolve: ({ question }) => question.fidelity }),
    fleetRevision: t.field({
      type: 'Revision',
      description: 'The revision of the fleet on which hosts were evaluated.',
      resolve: ({ question }) => question.basis,
    }),
    profile: t.field({
      type: ProfileVersion,
      description: 'The profile version with which hosts were evaluated.',
      resolve: ({ question }) => question.profile,
    }),
    instanceIndex: t.exposeInt('instance', { description: 'The index in the request of the instance that is explained.' }),
    hostCount: t.exposeInt('hostCount', { description: 'How many hosts the fleet has.' }),
    steps: t.field({
      type: [FilterStep],
      description: 'How many hosts each filter let through, in the order of evaluation.',
      resolve: ({ steps, isShortCircuited }) => steps.map((step, index) => ({ ...step, index, isShortCircuited })),
    }),
    shadowSteps: t.field({
      type: [ShadowFilterStep],
      description: 'The filters of the profile that are in shadow mode. They do not refuse hosts and are not listed in `steps`.',
      resolve: ({ shadows }) => [...shadows],
    }),
    reasons: t.field({
      type: [ReasonCount],
      description:
        'Why hosts were refused. Each reason is listed once. If no host passes, the reasons are sorted as in `cause`; if a host passes, the most frequent reason comes first.',
      resolve: reasonsOf,
    }),
    verdicts: t.field({
      type: HostVerdictConnection,
      description: 'The results of all filters and weighers, host by host.',
      args: {
        ...pageArgs(),
        filter: t.arg({ type: VerdictFilter, description: 'Only hosts that match this filter.' }),
        orderBy: t.arg({ type: VerdictOrder, defaultValue: 'RANK', description: 'Order of the list.' }),
      },
      resolve: (examined, { filter, orderBy, ...page }, { explain }) => explain.verdicts(examined, page, filter ?? {}, orderBy ?? 'RANK'),
    }),
    weighing: t.field({
      type: Weighing,
      description: 'How the passing hosts were ranked.',
      args: {
        instanceIndex: t.arg.int({ description: 'The index of the instance; by default the instance that is explained.' }),
        top: t.arg.int({ defaultValue: 50, description: 'At most this many hosts are listed, 1 to 500.' }),
      },
      resolve: (examined, { instanceIndex, top }) => weighingOf(examined, instanceIndex ?? examined.instance, top ?? 50),
    }),
    selection: t.field({ type: SelectionNote, description: 'How the host was chosen among the best hosts.', resolve: selectionOf }),
    text: t.string({
      description: 'The whole explanation as a text for people.',
      args: { format: t.arg({ type: TextFormat, defaultValue: 'MARKDOWN', description: 'The format of the text.' }) },
      resolve: (examined, { format }) => textOf(examined, format ?? 'MARKDOWN'),
    }),
  }),
})

export const ExplainSubject = builder.inputType('ExplainSubject', {
  description: 'What to explain. Exactly one of these fields must be set.',
  isOneOf: true,
  fields: (t) => ({
    decisionId: t.id({ description: 'The decision to explain.' }),
    requestSpecId: t.id({ description: 'The global id of a request. Its decision is explained.' }),
    spec: t.field({ type: SpecInput, description: 'A request to explain as if it were made now; nothing is claimed.' }),
  }),
})

type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0]

/** The input fields that explainPlacement and whyNot share. */
export const explainFields = (t: InputFields) => ({
  subject: t.field({ type: ExplainSubject, required: true, description: 'The decision or request to explain.' }),
  at: t.field({
    type: 'Revision',
    description:
      'The revision of the fleet on which the request is decided. By default the revision of the decision; for a new request, the present revision.',
  }),
  profile: t.string({
    description:
      'The profile that decides, as name or name@number. By default the profile of the decision; for a new request, the profile `default`.',
  }),
  instanceIndex: t.int({
    description:
      'The index of the instance in the request. By default the instance that was not placed; if all were placed, the first instance.',
  }),
})

const ExplainPlacementInput = builder.inputType('ExplainPlacementInput', {
  description: 'A decision or request to explain, with the options of the explanation.',
  fields: (t) => ({
    ...explainFields(t),
    shortCircuit: t.boolean({
      defaultValue: false,
      description:
        'True: after a filter has refused a host, later filters are not evaluated on the host, as when a decision is made. `FilterStep.soleRejections` is then null, and `VerdictMatrix` describes only the first refusal of each host.',
    }),
  }),
})

export function toSubject({ decisionId, requestSpecId, spec }: typeof ExplainSubject.$inferInput): Subject {
  const path = ['input', 'subject']
  // exactly one of the three fields is set; an empty text is also a value
  if (typeof decisionId === 'string') return { type: 'decision', id: idOf('Decision', decisionId, [...path, 'decisionId']) }
  if (typeof requestSpecId === 'string') return { type: 'request-spec', id: idOf('RequestSpec', requestSpecId, [...path, 'requestSpecId']) }
  return { type: 'spec', spec: toSpecDocument(spec ?? {}, [...path, 'spec']) }
}

builder.queryFields((t) => ({
  explainPlacement: t.field({
    type: Explanation,
    authScopes: { scope: 'READ' },
    description: 'Why a request is placed on its hosts, or why it is not placed.',
    args: { input: t.arg({ type: ExplainPlacementInput, required: true, description: 'The decision or request to explain, and how.' }) },
    resolve: (_root, { input: { subject, instanceIndex: instance, ...options } }, { explain }) =>
      explain.explain(toSubject(subject), { ...options, instance }),
  }),
}))
