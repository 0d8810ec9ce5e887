import type { KeptCause, RefusalReason } from '../services/decisions.ts'
import { builder } from './builder.ts'

export const ReasonCount = builder.objectRef<RefusalReason>('ReasonCount').implement({
  description: 'Hosts refused by one filter for one code. Text is rendered from code and facts, never parsed.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'From the catalogue of reasons.' }),
    filter: t.exposeString('filter', { description: 'Who refused.' }),
    hosts: t.exposeInt('hosts', { description: 'How many hosts.' }),
    text: t.exposeString('text', { description: 'The reason of the first such host.' }),
    docsSlug: t.exposeString('code', { description: 'What to look for in docs/errors.md, which has a cure for each code.' }),
  }),
})

export const RefusalCause = builder.objectRef<KeptCause>('RefusalCause').implement({
  description:
    'Why no host takes an instance, said of the hosts that the request itself admits: hosts of other zones, or that it does not name, are no part of it.',
  fields: (t) => ({
    code: t.exposeString('code', {
      nullable: true,
      description: 'What most of those hosts are refused for, from the catalogue of reasons; null: there is no host at all.',
    }),
    text: t.exposeString('text', { description: 'In a few sentences, with the numbers of the nearest host.' }),
    admittedHosts: t.exposeInt('admitted', {
      nullable: true,
      description: 'Hosts that the request admits. Where there is none, that is the cause. Null: not known.',
    }),
    hostName: t.string({
      nullable: true,
      description: 'The host that is nearest to taking the instance; null: the request admits and names none, or it is not known.',
      resolve: ({ nearest }) => nearest?.host ?? null,
    }),
    node: t.string({ nullable: true, description: "Its node's name.", resolve: ({ nearest }) => nearest?.node ?? null }),
  }),
})
