/** The filter grammar: one line for the console's bar and its addresses, for the API's `query:` and for the command line. */

export { showUnseen } from '../plain-text.ts'
export { compileQuery, type QueryReaders, type QueryValue } from './compile.ts'
export { cutTerm, hasTerm, withoutFields, withoutTerm, withoutTimes, withRange, withTerm, withTimes } from './edit.ts'
export { aggregateFields, auditFields, claimFields, decisionFields } from './fields.ts'
export { hostFields } from './host-fields.ts'
export {
  classOrderFields,
  type HostOrder,
  type HostOrderField,
  type HostSort,
  type HostSortTerm,
  hostOrderFields,
  hostOrdersOf,
  hostSorts,
  isHostSort,
} from './host-sorts.ts'
export { idsIn } from './ids.ts'
export { type MomentRead, type MomentZone, readMoment } from './moment-text.ts'
export { findField, type ParsedQuery, parseQuery } from './parse.ts'
export { printQuery } from './print.ts'
export type { Query, QueryField, QueryOperator, QueryProblem, QueryTerm } from './query.ts'
export { parseSort, printSort, type Sort } from './sort.ts'
export { isOfTime, type Span, spanOf } from './span.ts'
export { type Suggestion, type Suggestions, suggest } from './suggest.ts'
export { printTime, timeOf } from './time.ts'
export { ofEachTold, type ToldColumn, type ToldField, type ToldName, toldFields } from './told-fields.ts'
export { numberOf } from './units.ts'
