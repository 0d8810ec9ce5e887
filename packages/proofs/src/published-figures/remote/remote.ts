import { type Client, createRetry } from '@gantt/client'
import type { RequestSpec } from '@gantt/scheduler-core'
import type { Driver, Effort, Placement, ProfileParts, TraceHost } from '../driver.ts'
import { AGGREGATE_CREATE, AGGREGATE_DELETE, PROFILE_CREATE, RELEASE, REPORT, SELECT } from './documents.ts'
import { readHostViews } from './hosts.ts'
import { toFullStats, toProfileVersion, toSpec } from './inputs.ts'

/** The service refused a call of the replay. The message is the service's own. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError'
}

/** How many proposals took effect, how many conflicted with an earlier entry of the log (void), and how many the store refused. */
export type Counts = Pick<Effort, 'counted' | 'fruitless'>

/** One replica of the service. */
export interface RemoteReplica {
  readonly client: Client
  /** The counts of proposals of this replica since its process started. */
  effort(): Promise<Counts>
}

export interface RemoteOptions {
  /** The replicas, at least one. Calls are sent to them in turn. */
  readonly replicas: readonly RemoteReplica[]
  /** A prefix for all names that this run creates on the service. Every run has a different prefix. */
  readonly run: string
}

/** Each call has at most this many items, well below the limits of the API. */
const BATCH = 200
/** The time limit of a call including its retries, in milliseconds. It is long enough for a fully loaded replica. */
const DEADLINE_MS = 120_000

/** The result of a call: its GraphQL type name, and its message if the call was refused. */
interface Refusal {
  readonly __typename: string
  readonly message?: string
}

/**
 * A driver for a running service. The hosts of a run have its prefix in their names, and are in one aggregate that every request requires,
 * so that other hosts of the service do not affect the answers. At the end, claims are released and the aggregate is deleted. The hosts
 * stay in the fleet, because only a call by an operator removes a host.
 */
export function createRemoteDriver({ replicas, run }: RemoteOptions): Driver {
  const live = new Map<string, Placement>()
  const retry = createRetry({})
  const incarnation = crypto.randomUUID()
  let first: TraceHost | undefined
  let aggregate: { readonly uuid: string; readonly version: number } | undefined
  let before: readonly Counts[] = []
  let calls = 0
  let turn = 0
  let repeated = 0

  const next = (): Client => (replicas[turn++ % replicas.length] as RemoteReplica).client
  /** Sends a call that can be retried safely. If a replica does not answer, the call is sent again to the next replica. */
  const ask = <Data>(document: string, variables: Readonly<Record<string, unknown>>, client = next()): Promise<Data> => {
    let to = client
    return retry(
      { deadlineMs: DEADLINE_MS, attemptMs: DEADLINE_MS / 4 },
      (given) => to.request<Data>(document, variables, given),
      () => {
        repeated++
        to = next()
      },
    )
  }

  const report = async (hosts: readonly TraceHost[], client?: Client): Promise<readonly Refusal[]> => {
    const updates = hosts.map(({ name, stats }) => ({
      name: { host: `${run}-${name}` },
      reporter: { incarnation, sequence: 1 },
      report: { full: toFullStats(`${run}-${name}`, stats) },
    }))
    const { updateResourceStats } = await ask<{ updateResourceStats: { results: readonly Refusal[] } }>(
      REPORT,
      { input: { updates } },
      client,
    )
    return updateResourceStats.results
  }

  const release = async (placements: readonly Placement[]): Promise<void> => {
    const claims = placements.map(({ claim }) => ({ id: claim.id, fence: claim.fence }))
    const { claimRelease } = await ask<{ claimRelease: readonly Refusal[] }>(RELEASE, { claims })
    for (const result of claimRelease) expect(result, 'ClaimPayload')
    for (const { claim } of placements) live.delete(claim.id)
  }

  return {
    async reportHosts(hosts) {
      for (const batch of batches(hosts))
        for (const result of await report(batch)) expect(result, 'ResourceStatsApplied', 'ResourceStatsStale')
      first = hosts[0]
      const input = { name: run, hosts: hosts.map(({ name }) => `${run}-${name}`) }
      const { aggregateCreate } = await next().request<{
        aggregateCreate: Refusal & { aggregate?: { uuid: string; version: number } }
      }>(AGGREGATE_CREATE, { input })
      expect(aggregateCreate, 'AggregatePayload')
      aggregate = aggregateCreate.aggregate
      before = await Promise.all(replicas.map((replica) => replica.effort()))
    },

    async writeProfile(parts: ProfileParts) {
      const name = run.toLowerCase().slice(0, 63)
      const { profileVersionCreate } = await next().request<{ profileVersionCreate: Refusal }>(PROFILE_CREATE, {
        profile: name,
        input: toProfileVersion(parts),
      })
      expect(profileVersionCreate, 'ProfilePayload')
      return name
    },

    async place(request: RequestSpec, profile: string) {
      if (aggregate === undefined) throw new Error('hosts must be reported before anything is placed')
      const { selectDestinations } = await ask<{ selectDestinations: SelectAnswer }>(SELECT, {
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

    async inspect() {
      const effort = sumOf(await Promise.all(replicas.map((replica) => replica.effort())), before)
      const views = []
      for (const { client } of replicas) {
        // A replica answers a report without new content only after it has caught up with the log. So the hosts that are read next are up
        // to date.
        if (first !== undefined) await report([first], client)
        views.push(await readHostViews(client, run))
      }
      return { replicas: views, effort: { ...effort, repeated } }
    },

    async close() {
      for (const batch of batches([...live.values()])) await release(batch)
      if (aggregate === undefined) return
      const { aggregateDelete } = await next().request<{ aggregateDelete: Refusal }>(AGGREGATE_DELETE, {
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

/** Subtracts the counters at the beginning (`before`) from the present ones (`now`), and adds up the differences of all replicas. */
function sumOf(now: readonly Counts[], before: readonly Counts[]): Counts {
  const fruitless: Record<string, number> = {}
  const add = (counts: Counts, sign: number): void => {
    for (const [rule, times] of Object.entries(counts.fruitless)) fruitless[rule] = (fruitless[rule] ?? 0) + sign * times
  }
  for (const counts of now) add(counts, 1)
  for (const counts of before) add(counts, -1)
  const total = (all: readonly Counts[]): number => all.reduce((sum, { counted }) => sum + counted, 0)
  return { counted: total(now) - total(before), fruitless: Object.fromEntries(Object.entries(fruitless).filter(([, times]) => times > 0)) }
}

function expect({ __typename, message }: Refusal, ...wanted: readonly string[]): void {
  if (!wanted.includes(__typename))
    throw new RemoteError(`the service answered ${__typename}${message === undefined ? '' : `: ${message}`}`)
}

const batches = <Item>(items: readonly Item[]): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / BATCH) }, (_, batch) => items.slice(batch * BATCH, (batch + 1) * BATCH))
