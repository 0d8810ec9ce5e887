import type { FieldChange as Shape } from '@gantt/scheduler-core'
import { builder } from './builder.ts'

/** Of comparisons of every kind. */
export const FieldChange = builder.objectRef<Shape>('FieldChange').implement({
  description: 'A field in which two things, or two states of one thing, differ.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'Its path, with dots.' }),
    before: t.exposeString('before', { nullable: true, description: 'In the first; null: not there.' }),
    after: t.exposeString('after', { nullable: true, description: 'In the second; null: not there.' }),
  }),
})
