import type { AggregateWarnings as Shape, AggregateWarning as WarningShape } from '../../services/aggregate/aggregate-warnings.ts'
import { builder } from '../builder.ts'

const AggregateWarning = builder.objectRef<WarningShape>('AggregateWarning').implement({
  description: 'Claims on one host whose instances one filter would refuse there, for one reason code.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'A code of the catalogue of reasons.' }),
    filter: t.exposeString('filter', { description: 'The first filter that lets the instances be there now, and would refuse them.' }),
    host: t.exposeString('host', { description: 'The name of the host.' }),
    node: t.exposeString('node', { description: 'Name of the node that the warning is about.' }),
    claims: t.exposeInt('claims', { description: 'The number of these live claims.' }),
    text: t.exposeString('text', { description: 'The whole warning as a sentence, with the reason for the first instance.' }),
  }),
})

export const AggregateWarnings = builder.objectRef<Shape>('AggregateWarnings').implement({
  description:
    'The effect of an edit on placed instances. For every live claim on a host that joins the aggregate, leaves it, or is in it while its metadata changes, the original request is checked on that host as if its claim were released, by the active version of its profile, without the edit and with it.',
  fields: (t) => ({
    asOf: t.expose('asOf', { type: 'Revision', description: 'The revision of the fleet that the edit was tried on.' }),
    claims: t.exposeInt('claims', { description: 'The number of live claims on those hosts.' }),
    asked: t.exposeInt('asked', { description: 'The number of those claims whose requests were checked.' }),
    outOfTime: t.int({
      description: 'The number of claims that were not checked before the deadline.',
      resolve: ({ leftOut }) => leftOut.outOfTime,
    }),
    notAskable: t.int({
      description:
        'The number of claims that were not checked because their decision or its profile is not stored, or because they are being moved.',
      resolve: ({ leftOut }) => leftOut.notAskable,
    }),
    refused: t.exposeInt('refused', { description: 'Claims whose instances would be refused on their hosts.' }),
    hosts: t.exposeInt('hosts', { description: 'The number of hosts with such claims.' }),
    told: t.field({
      type: [AggregateWarning],
      description: 'The hosts and reasons: most claims first, at most 100.',
      resolve: ({ listed }) => [...listed],
    }),
  }),
})
