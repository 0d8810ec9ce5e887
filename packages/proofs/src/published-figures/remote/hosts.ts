import type { Client } from '@gantt/client'
import type { HostView } from '../driver.ts'
import { HOSTS } from './documents.ts'

interface ShownHosts {
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  readonly nodes: readonly {
    readonly name: string
    readonly capacity: readonly { readonly resourceClass: string; readonly free: number }[]
    readonly gpus: readonly { readonly index: number; readonly freeMilli: number }[]
  }[]
}

/** The hosts of a run in the answer of one replica, with their names in the trace. */
export async function readHostViews(client: Client, run: string): Promise<readonly HostView[]> {
  const views: HostView[] = []
  for (let after: string | null = null; ; ) {
    const { hosts }: { hosts: ShownHosts } = await client.request(HOSTS, { run, after })
    for (const { name, capacity, gpus } of hosts.nodes)
      views.push({
        name: name.slice(run.length + 1),
        free: new Map([
          ...capacity.map(({ resourceClass, free }) => [resourceClass, free] as const),
          ...gpus.map(({ index, freeMilli }) => [`GPU ${index}`, freeMilli] as const),
        ]),
      })
    if (!hosts.pageInfo.hasNextPage) return views
    after = hosts.pageInfo.endCursor
  }
}
