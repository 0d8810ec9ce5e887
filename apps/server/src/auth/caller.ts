import type { ApiKey, ApiKeyStore, Scope } from '../stores/api-keys.ts'

export { type Scope, scopes } from '../stores/api-keys.ts'

/** The caller of a request, identified by the API key alone. */
export interface Caller {
  readonly keyId: string
  readonly name: string
  readonly account: string
  readonly scopes: readonly Scope[]
  /** The only host names for which the caller may report; empty: any host name. */
  readonly hosts: readonly string[]
  /** The caller may report a new node of a host only if the host has at most this many nodes afterwards. */
  readonly maxNodes: number
  /** The only project for which the caller may place instances; null: any project. */
  readonly project: string | null
  /** False after the key was revoked or has expired. A long-lived stream calls this repeatedly. */
  isStillKnown(): boolean
}

/**
 * Finds the caller of an `Authorization: Bearer KEY` header. Undefined if there is no header, if the header is malformed, or if the key is
 * unknown.
 */
export function findCaller(header: string | undefined, keys: Pick<ApiKeyStore, 'verify'>): Caller | undefined {
  const secret = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(header ?? '')?.[1]
  const key: ApiKey | undefined = secret === undefined ? undefined : keys.verify(secret)
  if (secret === undefined || key === undefined) return undefined
  const { id: keyId, name, account, scopes, hosts, maxNodes, project } = key
  return { keyId, name, account, scopes, hosts, maxNodes: maxNodes ?? 1, project, isStillKnown: () => keys.verify(secret) !== undefined }
}

/** True if a caller may use a scope. ADMIN includes every scope. */
export const mayDo = ({ scopes }: Pick<Caller, 'scopes'>, scope: Scope): boolean => scopes.includes(scope) || scopes.includes('ADMIN')

/** A text that names the scopes that the caller has and the scopes that it needs. */
export function describeScopes({ scopes }: Pick<Caller, 'scopes'>, needed: readonly Scope[]): string {
  const has = `it has ${scopes.join(', ') || 'no scope'}`
  return needed.length === 0 ? has : `${has}; ${needed.join(' and ')} ${needed.length === 1 ? 'is' : 'are'} needed`
}
