import type { Client } from '@gantt/client'
import type { Checks } from '../checks.ts'
import { liveClaimsOf, readAllPages } from '../processes/pages.ts'
import type { HeldClaim } from './calls.ts'

const HOSTS = `query Hosts($after: String) { hosts(first: 500, after: $after) {
  nodes { name capacity { resourceClass total used claimed } } pageInfo { hasNextPage endCursor } } }`

export interface HostAmounts {
  readonly name: string
  readonly capacity: readonly {
    readonly resourceClass: string
    readonly total: number
    readonly used: number
    readonly claimed: number
  }[]
}

/**
 * Checks the state of the service after the load: no host has promised more than it has, and the live claims are exactly the ones that the
 * callers hold.
 */
export async function checkAfterwards(checks: Checks, client: Client, held: ReadonlyMap<string, HeldClaim>): Promise<void> {
  const hosts = await readAllPages<HostAmounts>(client, HOSTS, 'hosts')
  checkState(checks, hosts, await liveClaimsOf(client), held)
}

/** Compares what the service says with what its callers got. */
export function checkState(
  checks: Checks,
  hosts: readonly HostAmounts[],
  claims: readonly string[],
  held: ReadonlyMap<string, HeldClaim>,
): void {
  const exceeded = hosts.flatMap(({ name, capacity }) =>
    capacity
      .filter(({ total, used, claimed }) => used + claimed > total)
      .map(({ resourceClass, total, used, claimed }) => `${name} has promised ${used + claimed} of ${total} ${resourceClass}`),
  )
  checks.check('no host has promised more than it has', exceeded.length === 0, () => someOf(exceeded))
  const live = new Set(claims)
  const lost = [...held.keys()].filter((id) => !live.has(id))
  const unknown = claims.filter((id) => !held.has(id))
  checks.check('every claim that a caller got exists', lost.length === 0, () => someOf(lost))
  checks.check('every claim that exists is one that a caller got', unknown.length === 0, () => someOf(unknown))
  checks.check('no claim is listed twice', live.size === claims.length)
}

const someOf = (texts: readonly string[]): string => `${texts.length}, such as ${texts.slice(0, 3).join('; ')}`
