import type { KeptCause, RefusalReason } from '../../services/decision/decisions.ts'
import { builder } from '../builder.ts'

export const ReasonCount = builder.objectRef<RefusalReason>('ReasonCount').implement({
  description: 'How many hosts one filter refused with one reason code. Programs should use the code and not parse the text.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'The code of the reason, from the catalogue of reasons.' }),
    filter: t.exposeString('filter', { description: 'Name of the filter that refused.' }),
    hosts: t.exposeInt('hosts', { description: 'How many hosts were refused for this reason.' }),
    text: t.exposeString('text', { description: 'The reason as a sentence, with the numbers of the first refused host.' }),
    docsSlug: t.exposeString('code', {
      description: 'The search term that finds this reason in docs/errors.md, which has a remedy for each code.',
    }),
  }),
})

export const RefusalCause = builder.objectRef<KeptCause>('RefusalCause').implement({
  description:
    'Why no host can take an instance. Hosts that the request does not admit are not considered, for example hosts in other availability zones.',
  fields: (t) => ({
    code: t.exposeString('code', {
      nullable: true,
      description:
        'The code of the most frequent reason on admitted hosts, from the catalogue of reasons; null if there are no hosts at all.',
    }),
    text: t.exposeString('text', { description: 'The cause in a few sentences, with the numbers of the nearest host.' }),
    admittedHosts: t.exposeInt('admitted', {
      nullable: true,
      description:
        'How many hosts the request admits. If the count is 0, this is the cause of the refusal. Null if the count is not known.',
    }),
    hostName: t.string({
      nullable: true,
      description:
        'The host that is nearest to taking the instance. Null if the request neither admits nor names a host, or if the nearest host is not known.',
      resolve: ({ nearest }) => nearest?.host ?? null,
    }),
    node: t.string({
      nullable: true,
      description: "The name of the nearest host's node.",
      resolve: ({ nearest }) => nearest?.node ?? null,
    }),
  }),
})
