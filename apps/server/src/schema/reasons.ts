import type { RefusalReason } from '../services/decisions.ts'
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
