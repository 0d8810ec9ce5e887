import type { AggregateWarnings as Shape, AggregateWarning as WarningShape } from '../services/aggregate-warnings.ts'
import { builder } from './builder.ts'

const AggregateWarning = builder.objectRef<WarningShape>('AggregateWarning').implement({
  description: 'Claims on one host whose instances one filter would refuse there for one code.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'From the catalogue of reasons.' }),
    filter: t.exposeString('filter', { description: 'The first filter that lets them be there now, and would refuse them.' }),
    host: t.exposeString('host', { description: 'The name of the host.' }),
    node: t.exposeString('node', { description: 'Its node.' }),
    claims: t.exposeInt('claims', { description: 'How many live claims they are.' }),
    text: t.exposeString('text', { description: 'All of it as a sentence, with the reason of the first of them.' }),
  }),
})

export const AggregateWarnings = builder.objectRef<Shape>('AggregateWarnings').implement({
  description:
    'What an edit would do to instances that are placed. Of every live claim on a host that comes into the aggregate, leaves it, or is in it while its metadata changes, the request that made it is asked of that host, with its own room given back, by the version of its profile that decides now, without the edit and with it.',
  fields: (t) => ({
    asOf: t.expose('asOf', { type: 'Revision', description: 'Revision of the fleet that it was tried on.' }),
    claims: t.exposeInt('claims', { description: 'Live claims on those hosts.' }),
    asked: t.exposeInt('asked', { description: 'Of these, asked.' }),
    outOfTime: t.int({ description: 'Left out as the deadline was over.', resolve: ({ leftOut }) => leftOut.outOfTime }),
    notAskable: t.int({
      description: 'Left out as their decision or its profile is not kept, or as they are on the move.',
      resolve: ({ leftOut }) => leftOut.notAskable,
    }),
    refused: t.exposeInt('refused', { description: 'Claims that would be refused where they are.' }),
    hosts: t.exposeInt('hosts', { description: 'Hosts that hold those.' }),
    told: t.field({
      type: [AggregateWarning],
      description: 'Where and why: most claims first, at most 100.',
      resolve: ({ told }) => [...told],
    }),
  }),
})
