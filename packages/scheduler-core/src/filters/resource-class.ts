import { classesKind } from '../kinds/classes/classes.ts'
import { fitFilter } from './fit.ts'

/** Every resource class asked for has room on the host, within its unit rules. */
export const resourceClassFilter = fitFilter(
  'ResourceClassFilter',
  'The host has the amounts asked for left, class by class, within their unit rules.',
  classesKind,
)
