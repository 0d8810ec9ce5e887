import { hostOrdersOf } from '@gantt/scheduler-core/query'
import { commandOf } from '../../../lib/copies.ts'
import { readSort } from '../search.ts'

/** The state of the list for copied calls and commands: its filter, its order, and the moment if the list shows the past. */
export interface CopiedList {
  readonly filter: string
  /** The order of the list. The default is by name. */
  readonly sort?: string | undefined
  readonly at?: string | undefined
}

export function queryTextOf({ filter, sort = 'host', at }: CopiedList): string {
  const orders = hostOrdersOf(readSort(sort)).map(
    ({ field, direction, resourceClass }) =>
      `{ field: ${field}${direction === 'ASC' ? '' : `, direction: ${direction}`}${resourceClass ? `, resourceClass: "${resourceClass}"` : ''} }`,
  )
  const terms = [
    'first: 500',
    'after: $after',
    ...(filter === '' ? [] : [`query: ${JSON.stringify(filter)}`]),
    `orderBy: [${orders.join(', ')}]`,
    ...(at === undefined ? [] : [`at: ${JSON.stringify(at)}`]),
  ]
  return `query Hosts($after: String) {
  hosts(${terms.join(', ')}) {
    totalCount
    nodes {
      name node availabilityZone state status lastReportAt
      capacity { resourceClass capacity used claimed free }
    }
    pageInfo { hasNextPage endCursor }
  }
}`
}

export const cliLineOf = ({ filter, sort, at }: CopiedList): string => commandOf('gantt hosts --all', { query: filter, sort, at })
