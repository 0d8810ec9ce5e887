import { statsFields } from '../../report/stats-fields.ts'
import { namedKeys } from '../../request/request-reads.ts'
import { shortList } from '../../text/short-list.ts'
import { hintOf } from '../objects/request.ts'
import { attributesIn, meetsQuery } from '../parts/json-query.ts'
import { novaFilter } from '../parts/nova-filter.ts'
import { NovaError } from '../text/nova-error.ts'
import { parsePythonJson } from '../text/python-json.ts'

/**
 * Passes hosts that satisfy the query in the scheduler hint `query`. It is JSON such as
 * `["and", [">=", "$free_ram_mb", 1024], ["=", "$host", "h1"]]`.
 */
export const jsonFilter = novaFilter({
  name: 'JsonFilter',
  description: 'The host satisfies the query in the scheduler hint named query.',
  admits: {
    by: 'property',
    which: ({ schedulerHints }) => `for the query ${shortList(schedulerHints.query ?? [])}`,
  },
  reads: statsFields,
  readsRequest: { schedulerHints: namedKeys('query') },
  canPassAgain: ({ schedulerHints }) => (schedulerHints.query ?? []).length > 0,
  prepare(request) {
    const text = hintOf(request, 'query') ?? ''
    if (text.length === 0) return undefined
    if (typeof text !== 'string')
      throw new NovaError('TypeError', { subject: 'hint query', need: 'one text', have: `${text.length} texts` })
    const query = parsePythonJson(text)
    return (host) => {
      if (meetsQuery(query, host)) return undefined
      const have = attributesIn(query, host).join(', ') || 'no attributes in the query'
      return { code: 'query.no_match', subject: 'query', need: text, have, source: 'hint query' }
    }
  },
})
