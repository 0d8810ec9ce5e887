/** The filter grammar: one line for the console's bar and its addresses, for the API's `query:` and for the command line. */
export { compileQuery, type QueryReaders, type QueryValue } from './compile.ts'
export { hasTerm, withoutTerm, withTerm } from './edit.ts'
export { aggregateFields, auditFields, claimFields, decisionFields, hostFields } from './fields.ts'
export { findField, type ParsedQuery, parseQuery } from './parse.ts'
export { printQuery } from './print.ts'
export type { Query, QueryField, QueryOperator, QueryProblem, QueryTerm } from './query.ts'
export { type Suggestion, type Suggestions, suggest } from './suggest.ts'
export { numberOf } from './units.ts'
