import { randomBytes } from 'node:crypto'
import { createClient } from '@gantt/client'
import type { Driver } from '../driver.ts'
import { createInProcessDriver } from '../in-process.ts'
import { BadInputError } from '../options.ts'
import { createRemoteDriver } from './remote.ts'
import { scrapeEffort } from './scrape.ts'

/** A service or this process, on which a trace is replayed. */
export interface Target {
  /** The heading of the target's column. */
  readonly name: string
  createDriver(seed: string): Driver
}

/** Collects the values of `--server`, one for each service. The replicas of a service are separated by commas. */
export const collectServers = (addresses: string, before: readonly string[] = []): readonly string[] => [...before, addresses]

/**
 * The services on which the trace is replayed, in the given order. If no service is named, the trace is replayed in this process. `keys`
 * has one key for all services, or one key for each. Throws BadInputError.
 */
export async function findTargets(servers: readonly string[], keys: readonly string[]): Promise<readonly Target[]> {
  if (servers.length === 0) return [{ name: 'in process', createDriver: (seed) => createInProcessDriver({ seed }) }]
  if (keys.length === 0) throw new BadInputError('--key is not given; --server needs the key of the service')
  if (keys.length !== 1 && keys.length !== servers.length)
    throw new BadInputError(
      `--key is given ${keys.length} times for ${servers.length} services; it must be once, or once for each --server`,
    )
  return Promise.all(servers.map((addresses, at) => toTarget(addresses, (keys[at] ?? keys[0]) as string)))
}

async function toTarget(addresses: string, key: string): Promise<Target> {
  const replicas = addresses.split(',').map((address) => {
    const url = toGraphqlUrl(address.trim())
    return { client: createClient({ url, key }), effort: () => scrapeEffort(url, key) }
  })
  const [first] = replicas as [(typeof replicas)[number]]
  const { health } = await first.client.request<{ health: { engine: string } }>('{ health { engine } }')
  return {
    name: `${health.engine}, ${replicas.length} ${replicas.length === 1 ? 'replica' : 'replicas'}`,
    createDriver: (seed) =>
      createRemoteDriver({ replicas, run: `replay-${Date.now().toString(36)}-${randomBytes(4).toString('hex')}-${seed}` }),
  }
}

function toGraphqlUrl(address: string): string {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new BadInputError(
      `--server is ${JSON.stringify(address)}; it must be an http or https address, or several of one service with commas between them`,
    )
  const url = new URL(address)
  if (url.pathname === '/') url.pathname = '/graphql'
  return url.href
}
