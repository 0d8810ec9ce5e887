import { type FormattedExecutionResult, OperationTypeNode } from 'graphql'
import { createClient } from 'graphql-sse'
import { graphqlUrl } from '../../lib/service/api.ts'
import { fetchAndRead } from '../../lib/service/clock.ts'
import { currentSession, signOut } from '../../lib/service/session.ts'
import { currentAt, whyNoWrites } from '../../lib/service/travel.ts'
import { type Asked, kindOf } from './operation-kind.ts'

type Answer = FormattedExecutionResult
export type Fetcher = (asked: Asked) => Promise<Answer> | AsyncIterable<Answer>

/**
 * Sends GraphiQL's requests with the key of this session. Refuses mutations while `isReadOnly` returns true, or while the console shows the
 * past.
 */
export function createFetcher(isReadOnly: () => boolean): Fetcher {
  return ({ query, operationName, variables }) => {
    const asked: Asked = { query, ...(operationName ? { operationName } : {}), ...(variables ? { variables } : {}) }
    const kind = kindOf(asked)
    const at = currentAt()
    const refused = at !== undefined ? whyNoWrites(at) : isReadOnly() ? REFUSED : undefined
    if (kind === OperationTypeNode.MUTATION && refused !== undefined) return Promise.resolve({ errors: [{ message: refused } as never] })
    return kind === OperationTypeNode.SUBSCRIPTION ? follow(asked) : send(asked)
  }
}

const REFUSED = 'The mutation was not sent: this page is read-only. Turn "Read only" off above the editor to send it.'

async function send(asked: Asked): Promise<Answer> {
  const { key } = currentSession()
  const response = await fetchAndRead(graphqlUrl(), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headersFor(key) },
    body: JSON.stringify(asked),
  })
  if (response.status === 401 && currentSession().key === key) signOut('unknown-key')
  return (await response.json()) as Answer
}

/** The events of a subscription. They end when GraphiQL stops listening. */
function follow({ query, operationName, variables }: Asked): AsyncIterable<Answer> {
  const client = createClient({ url: graphqlUrl(), headers: headersFor(currentSession().key), retryAttempts: 0, fetchFn: fetchAndRead })
  return client.iterate<Record<string, unknown>, Record<string, unknown>>({
    query,
    ...(operationName ? { operationName } : {}),
    ...(variables ? { variables } : {}),
  }) as AsyncIterable<Answer>
}

const headersFor = (key: string | undefined): Record<string, string> => (key === undefined ? {} : { authorization: `Bearer ${key}` })
