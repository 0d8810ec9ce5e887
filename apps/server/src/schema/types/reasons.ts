import type { KeptCause, RefusalReason } from '../../services/decision/decisions.ts'
import { builder } from '../builder.ts'

export const ReasonCount = builder.objectRef<RefusalReason>('ReasonCount').implement({
  description: 'Hosts refused by one filter for one code. The text is rendered from code and facts; never parse it.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'A code of the catalogue of reasons.' }),
    filter: t.exposeString('filter', { description: 'Name of the filter that refused.' }),
    hosts: t.exposeInt('hosts', { description: 'Number of hosts that were refused so.' }),
    text: t.exposeString('text', { description: 'The reason of the first such host.' }),
    docsSlug: t.exposeString('code', { description: 'The search term for docs/errors.md, which has a remedy for each code.' }),
  }),
})

export const RefusalCause = builder.objectRef<KeptCause>('RefusalCause').implement({
  description:
    'Why no host takes an instance, among the hosts that the request itself admits: hosts of other zones, or hosts that it does not name, are not included.',
  fields: (t) => ({
    code: t.exposeString('code', {
      nullable: true,
      description: 'The code for which most of these hosts are refused, from the catalogue of reasons; null: there is no host at all.',
    }),
    text: t.exposeString('text', { description: 'The cause in a few sentences, with the numbers of the nearest host.' }),
    admittedHosts: t.exposeInt('admitted', {
      nullable: true,
      description: 'The number of hosts that the request admits. If there are none, that is the cause. Null if not known.',
    }),
    hostName: t.string({
      nullable: true,
      description: 'The host that is nearest to taking the instance; null: the request admits and names none, or it is not known.',
      resolve: ({ nearest }) => nearest?.host ?? null,
    }),
    node: t.string({ nullable: true, description: "Name of the host's node.", resolve: ({ nearest }) => nearest?.node ?? null }),
  }),
})
