import type { Client } from '@gantt/client'
import type { RequestSpec } from '@gantt/scheduler-core'
import type { Driver, Placement, ProfileParts, TraceHost } from './driver.ts'
import { AGGREGATE_CREATE, AGGREGATE_DELETE, PROFILE_CREATE, RELEASE, REPORT, SELECT } from './remote-documents.ts'
import { toFullStats, toProfileVersion, toSpec } from './remote-inputs.ts'

/** The service refused what the replay asked; the message is the service's own. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError'
}

export interface RemoteOptions {
  readonly client: Client
  /** Prefix of everything that this run makes on the service: no two runs share one. */
  readonly run: string
}

/** What one call carries at most, well below the limits of the API. */
const BATCH = 200

/** Every result that is not the one expected. */
interface Refusal {
  readonly __typename: string
  readonly message?: string
}

/**
 * A running service. The hosts of a run carry its name and sit in one aggregate that every request asks for, so that a
 * service in use gives the same answers; claims are released and the aggregate deleted at the end. Hosts stay known to
 * the service: it forgets none by itself.
 */
export function createRemoteDriver({ client, run }: RemoteOptions): Driver {
  const live = new Map<string, Placement>()
  let aggregate: { readonly uuid: string; readonly version: number } | undefined
  let calls = 0

  const report = async (hosts: readonly TraceHost[]): Promise<void> => {
    const updates = hosts.map(({ name, stats }) => ({
      name: { host: `${run}-${name}` },
      reporter: { incarnation: crypto.randomUUID(), sequence: 1 },
      observedAt: new Date().toISOString(),
      report: { full: toFullStats(`${run}-${name}`, stats) },
    }))
    const { updateResourceStats } = await client.request<{ updateResourceStats: { results: readonly Refusal[] } }>(REPORT, {
      input: { updates },
    })
    for (const result of updateResourceStats.results) expect(result, 'ResourceStatsApplied')
  }

  const release = async (placements: readonly Placement[]): Promise<void> => {
    const claims = placements.map(({ claim }) => ({ id: claim.id, fence: claim.fence }))
    const { claimRelease } = await client.request<{ claimRelease: readonly Refusal[] }>(RELEASE, { claims })
    for (const result of claimRelease) expect(result, 'ClaimPayload')
    for (const { claim } of placements) live.delete(claim.id)
  }

  return {
    async reportHosts(hosts) {
      for (const batch of batches(hosts)) await report(batch)
      const input = { name: run, hosts: hosts.map(({ name }) => `${run}-${name}`) }
      const { aggregateCreate } = await client.request<{
        aggregateCreate: Refusal & { aggregate?: { uuid: string; version: number } }
      }>(AGGREGATE_CREATE, { input })
      expect(aggregateCreate, 'AggregatePayload')
      aggregate = aggregateCreate.aggregate
    },

    async writeProfile(parts: ProfileParts) {
      const name = run.toLowerCase().slice(0, 63)
      const { profileVersionCreate } = await client.request<{ profileVersionCreate: Refusal }>(PROFILE_CREATE, {
        profile: name,
        input: toProfileVersion(parts),
      })
      expect(profileVersionCreate, 'ProfilePayload')
      return name
    },

    async place(request: RequestSpec, profile: string) {
      if (aggregate === undefined) throw new Error('hosts must be reported before anything is placed')
      const { selectDestinations } = await client.request<{ selectDestinations: SelectAnswer }>(SELECT, {
        input: {
          spec: { gantt: { ...toSpec(request), requestedDestination: { aggregates: [aggregate.uuid] } } },
          idempotencyKey: `${run}-${++calls}`,
          claim: { mode: 'CONFIRM' },
          alternatesPerInstance: 0,
          profile,
          explain: 'NONE',
        },
      })
      if (selectDestinations.__typename === 'NoValidHost') return undefined
      expect(selectDestinations, 'SelectDestinationsPayload')
      const selected = selectDestinations.destinations?.[0]?.selected
      if (selected?.claim == null) throw new RemoteError('the service placed a pod and named no claim')
      const { claim, host } = selected
      const placement: Placement = { host: host.name.slice(run.length + 1), claim, gpus: claim.gpus.map(({ index }) => index) }
      live.set(placement.claim.id, placement)
      return placement
    },

    release: (placement) => release([placement]),

    async close() {
      for (const batch of batches([...live.values()])) await release(batch)
      if (aggregate === undefined) return
      const { aggregateDelete } = await client.request<{ aggregateDelete: Refusal }>(AGGREGATE_DELETE, {
        uuid: aggregate.uuid,
        ifVersion: aggregate.version,
      })
      expect(aggregateDelete, 'AggregatePayload')
      aggregate = undefined
    },
  }
}

interface SelectAnswer extends Refusal {
  readonly destinations?: readonly {
    readonly selected: { readonly host: { readonly name: string }; readonly claim: RemoteClaim | null }
  }[]
}

interface RemoteClaim {
  readonly id: string
  readonly fence: number
  readonly gpus: readonly { readonly index: number }[]
}

function expect({ __typename, message }: Refusal, wanted: string): void {
  if (__typename !== wanted) throw new RemoteError(`the service answered ${__typename}${message === undefined ? '' : `: ${message}`}`)
}

const batches = <Item>(items: readonly Item[]): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / BATCH) }, (_, batch) => items.slice(batch * BATCH, (batch + 1) * BATCH))
