import { useOperation } from './api.ts'
import { graphql } from './graphql.ts'

const VIEWER = graphql(`
  query Scopes {
    viewer { scopes }
  }
`)

type Scope = 'READ' | 'SCHEDULE' | 'REPORT' | 'CLAIM' | 'OPERATE' | 'ADMIN'

/** True if the scopes of a key include the needed scope. ADMIN includes all scopes. */
export const allows = (scopes: readonly string[], scope: Scope): boolean => scopes.includes(scope) || scopes.includes('ADMIN')

/** The scopes of this session's key. ADMIN includes all scopes. Undefined while they are not known. */
export function useScopes() {
  const { data, error, refetch } = useOperation(VIEWER, {}, { staleMs: 60_000 })
  const scopes: readonly Scope[] | undefined = data?.viewer.scopes
  const may = (scope: Scope): boolean | undefined => (scopes === undefined ? undefined : allows(scopes, scope))
  return { scopes: scopes ?? [], may, error, retry: () => void refetch() }
}
