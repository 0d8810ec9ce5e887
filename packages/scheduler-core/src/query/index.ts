/**
 * The filter grammar. A filter is one line of text, in the console's filter bar and URLs, in the API's `query:`, and on the command line.
 */

export { replaceUnseen, showUnseen } from '../text/plain-text.ts'
export { compileQuery, type QueryReaders, type QueryValue } from './compile.ts'
export { cutTerm, hasTerm, withoutFields, withoutTerm, withoutTimes, withRange, withTerm, withTimes } from './edit.ts'
export { aggregateFields, auditFields, claimFields, decisionFields } from './fields.ts'
export {
  byField,
  type ColumnField,
  columnFields,
  comparedOf,
  type FacetField,
  type FieldHolding,
  facetFields,
  fieldsHolding,
  first,
  type HostField,
  type HostFieldName,
  type ReportedField,
  readField,
  reportedFields,
} from './host-field-lists.ts'
export { hostFields, type ReadableHost } from './host-fields.ts'
export { type ClassOrderField, classReaders, usedPercent } from './host-reading.ts'
export {
  classOrderFields,
  type HostOrder,
  type HostOrderField,
  type HostSort,
  type HostSortTerm,
  hostOrderFields,
  hostOrdersOf,
  hostOrderValues,
  hostSorts,
  isHostSort,
} from './host-sorts.ts'
export { idsIn } from './ids.ts'
export { findField, MAX_LENGTH as MAX_QUERY_LENGTH, type ParsedQuery, parseQuery } from './parse.ts'
export { printQuery } from './print.ts'
export type { Query, QueryField, QueryOperator, QueryProblem, QueryTerm } from './query.ts'
export { parseSort, printSort, type Sort } from './sort.ts'
export { isOfTime, type Span, spanOf } from './span.ts'
export { type Suggestion, type Suggestions, suggest } from './suggest.ts'
export { type MomentRead, type MomentZone, readMoment } from './time/moment-text.ts'
export { printTime, timeOf } from './time/time.ts'
export { numberOf } from './units.ts'
