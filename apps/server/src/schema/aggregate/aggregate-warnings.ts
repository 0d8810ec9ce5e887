import type { AggregateWarnings as Shape, AggregateWarning as WarningShape } from '../../services/aggregate/aggregate-warnings.ts'
import { builder } from '../builder.ts'

const AggregateWarning = builder.objectRef<WarningShape>('AggregateWarning').implement({
  description: 'Live claims on one host that one filter would refuse for one reason after the edit.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'The code of the reason, from the catalogue of reasons.' }),
    filter: t.exposeString('filter', {
      description: 'The first filter that passes the host for these instances now and would refuse it after the edit.',
    }),
    host: t.exposeString('host', { description: 'The name of the host.' }),
    node: t.exposeString('node', { description: 'The name of the node that the warning is about.' }),
    claims: t.exposeInt('claims', { description: 'How many live claims the warning is about.' }),
    text: t.exposeString('text', { description: 'The whole warning as a sentence, with the reason for the first instance.' }),
  }),
})

export const AggregateWarnings = builder.objectRef<Shape>('AggregateWarnings').implement({
  description:
    'The effect of an edit on instances that are already placed. Every live claim is checked on each host that joins the aggregate, leaves it, or is in it while its metadata changes. The original request of the claim is decided twice on that host, without the edit and with the edit, by the active version of its profile and as if the claim were released.',
  fields: (t) => ({
    asOf: t.expose('asOf', { type: 'Revision', description: 'The revision of the fleet on which the edit was checked.' }),
    claims: t.exposeInt('claims', { description: 'How many live claims are on the hosts that the edit affects.' }),
    asked: t.exposeInt('asked', { description: 'How many of the claims were checked.' }),
    outOfTime: t.int({
      description: 'How many claims were not checked because the deadline passed.',
      resolve: ({ leftOut }) => leftOut.outOfTime,
    }),
    notAskable: t.int({
      description:
        'How many claims could not be checked because their decision or its profile is not stored, or because they are being moved.',
      resolve: ({ leftOut }) => leftOut.notAskable,
    }),
    refused: t.exposeInt('refused', {
      description: 'How many of the checked claims a filter would refuse on their present host after the edit.',
    }),
    hosts: t.exposeInt('hosts', { description: 'How many hosts have claims that a filter would refuse after the edit.' }),
    told: t.field({
      type: [AggregateWarning],
      description: 'The warnings, one for each host, filter and reason: most claims first, at most 100.',
      resolve: ({ listed }) => [...listed],
    }),
  }),
})
