import type { FieldChange as Shape } from '@gantt/scheduler-core'
import { builder } from '../builder.ts'

/** This type is used for comparisons of every kind. */
export const FieldChange = builder.objectRef<Shape>('FieldChange').implement({
  description: 'A field in which two objects, or two states of one object, differ.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'The path of the field, with dots between the names.' }),
    before: t.exposeString('before', { nullable: true, description: 'The first value; null if the field is absent.' }),
    after: t.exposeString('after', { nullable: true, description: 'The second value; null if the field is absent.' }),
  }),
})
