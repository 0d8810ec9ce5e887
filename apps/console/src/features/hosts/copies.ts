import { commandOf } from '../../lib/copies.ts'

/** The list as text for elsewhere; `filter` is the text of the filter grammar, `at` the moment, where that is not now. */

export const queryTextOf = (filter: string, at?: string): string => `query Hosts($after: String) {
  hosts(first: 500, after: $after${filter === '' ? '' : `, query: ${JSON.stringify(filter)}`}${at === undefined ? '' : `, at: ${JSON.stringify(at)}`}) {
    totalCount
    nodes {
      name node availabilityZone state status lastReportAt
      capacity { resourceClass capacity used claimed free }
    }
    pageInfo { hasNextPage endCursor }
  }
}`

export const cliLineOf = (filter: string, at?: string): string => commandOf('gantt hosts --all', { query: filter, at })
