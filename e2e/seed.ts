import { randomUUID } from 'node:crypto'
import type { Client } from '@gantt/client'

/**
 * The fields of a host's report that a test sets. All other fields describe a machine with 16 CPUs, 64 GiB of memory and 1,000 GB of disk,
 * of which only 100 GB are used.
 */
export interface Machine {
  readonly vcpusUsed?: number
  readonly memoryMb?: number
  readonly memoryMbUsed?: number
  readonly localGb?: number
  readonly localGbUsed?: number
  readonly gpus?: readonly { readonly index: number; readonly model: string; readonly usedMilli?: number }[]
  readonly numaCells?: readonly {
    readonly id: number
    readonly cpuset: readonly number[]
    readonly memoryMb: number
    readonly cpuUsage?: number
    readonly pinnedCpus?: readonly number[]
    readonly pages?: readonly { readonly sizeKib: number; readonly total: number; readonly reserved?: number; readonly used?: number }[]
  }[]
  readonly traits?: readonly string[]
  /** How many instances run on the host. `instances` has their ids. */
  readonly runningVms?: number
  readonly instances?: readonly string[]
  readonly hypervisorType?: string
  readonly hypervisorVersion?: number
  readonly cpuInfo?: { readonly arch?: string; readonly vendor?: string; readonly model?: string }
  readonly vcpus?: number
  readonly pciPools?: readonly {
    readonly vendorId: string
    readonly productId: string
    readonly deviceType?: string
    readonly numaNode?: number
    readonly tags?: readonly { readonly key: string; readonly value: string }[]
    readonly total: number
    readonly used?: number
  }[]
}

/** Sends a full report of each of these hosts, by name. */
export async function report(client: Client, machines: Readonly<Record<string, Machine>>): Promise<void> {
  const updates = Object.entries(machines).map(([host, machine]) => ({
    name: { host },
    reporter: { incarnation: randomUUID(), sequence: 1 },
    report: { full: { ...PLAIN, ...machine } },
  }))
  const { updateResourceStats } = await client.request<{ updateResourceStats: { appliedCount: number; results: readonly unknown[] } }>(
    `mutation Report($updates: [ResourceStatsInput!]!) {
      updateResourceStats(input: { updates: $updates }) { appliedCount results { ... on UserError { message } } }
    }`,
    { updates },
  )
  if (updateResourceStats.appliedCount !== updates.length)
    throw new Error(`Not every report was applied: ${JSON.stringify(updateResourceStats.results)}`)
}

export interface AggregateShape {
  readonly availabilityZone?: string
  readonly hosts?: readonly string[]
  readonly metadata?: Readonly<Record<string, string>>
}

/** Creates an aggregate. Returns its uuid. */
export async function gather(client: Client, name: string, { metadata = {}, ...shape }: AggregateShape): Promise<string> {
  const input = { name, ...shape, metadata: Object.entries(metadata).map(([key, value]) => ({ key, value })) }
  const { aggregateCreate } = await client.request<{ aggregateCreate: { aggregate?: { uuid: string }; message?: string } }>(
    `mutation Gather($input: AggregateCreateInput!) {
      aggregateCreate(input: $input) { ... on AggregatePayload { aggregate { uuid } } ... on UserError { message } }
    }`,
    { input },
  )
  if (aggregateCreate.aggregate === undefined) throw new Error(`No aggregate ${name}: ${aggregateCreate.message}`)
  return aggregateCreate.aggregate.uuid
}

/** Sets the status of at most 1,000 hosts. */
export async function setStatus(
  client: Client,
  hosts: string | readonly string[],
  status: 'ENABLED' | 'DISABLED' | 'DRAINING',
  reason: string,
): Promise<void> {
  const { hostSetStatus } = await client.request<{ hostSetStatus: { __typename: string; message?: string } }>(
    `mutation SetStatus($hosts: [ResourceNameInput!]!, $status: HostStatus!, $reason: String!) {
      hostSetStatus(hosts: $hosts, status: $status, reason: $reason) { __typename ... on UserError { message } }
    }`,
    { hosts: [hosts].flat().map((host) => ({ host })), status, reason },
  )
  if (hostSetStatus.__typename !== 'HostSetStatusPayload') throw new Error(`The status of ${hosts} was not set: ${hostSetStatus.message}`)
}

/** Creates a key for a service account with the same name. */
export async function keyFor(client: Client, name: string, scopes: readonly string[]): Promise<string> {
  const { apiKeyCreate } = await client.request<{ apiKeyCreate: { secret: string } }>(
    `mutation Key($input: ApiKeyCreateInput!) { apiKeyCreate(input: $input) { ... on ApiKeyPayload { secret } } }`,
    { input: { name, account: name, scopes } },
  )
  return apiKeyCreate.secret
}

/** Creates and revokes keys of an account. Each of them has two rows in the audit. */
export async function endedKeys(client: Client, account: string, names: readonly string[]): Promise<void> {
  // A call may have at most this many fields.
  const most = 10
  for (let from = 0; from < names.length; from += most) {
    const some = names
      .slice(from, from + most)
      .map((name, i) => ({ as: `k${i}`, input: `{ name: "${name}", account: "${account}", scopes: [READ] }` }))
    const made = await client.request<Record<string, { readonly key: { readonly id: string } }>>(
      `mutation { ${some.map(({ as, input }) => `${as}: apiKeyCreate(input: ${input}) { ... on ApiKeyPayload { key { id } } }`).join(' ')} }`,
    )
    const ended = Object.entries(made).map(([as, { key }]) => `${as}: apiKeyRevoke(id: "${key.id}") { __typename }`)
    await client.request(`mutation { ${ended.join(' ')} }`)
  }
}

export interface Ask {
  readonly vcpus?: number
  readonly memoryMb?: number
  readonly rootGb?: number
  readonly flavor?: string
  readonly zone?: string
  readonly numInstances?: number
  /** The uuid of the only instance. A second request with the same uuid is a retry. */
  readonly instance?: string
  /** Kinds of instances in addition to the flavor. They are placed together with the instances of the flavor, either all or none. */
  readonly gang?: readonly { readonly name: string; readonly instances: number; readonly vcpus: number; readonly memoryMb: number }[]
  readonly gpus?: { readonly count: number; readonly model?: string }
  readonly pciRequests?: readonly { readonly count: number; readonly vendorId: string }[]
  readonly extraSpecs?: Readonly<Record<string, string>>
  /** The profile. If absent, the default profile of the service. */
  readonly profile?: string
  /** The TTL of the claim, such as PT1H. If absent, the claim does not expire. */
  readonly reservedFor?: string
}

export interface Placement {
  readonly outcome: string
  readonly decisionId: string
  readonly hosts: readonly string[]
}

/** Requests the placement of an instance, by default with 2 CPUs and 4 GiB. */
export async function place(
  client: Client,
  { zone, flavor, gpus, instance, numInstances, gang = [], profile, reservedFor, pciRequests = [], extraSpecs = {}, ...ask }: Ask,
): Promise<Placement> {
  const spec = {
    flavor: {
      vcpus: 2,
      memoryMb: 4_096,
      ...(flavor === undefined ? {} : { name: flavor }),
      ...ask,
      extraSpecs: Object.entries(extraSpecs).map(([key, value]) => ({ key, value })),
    },
    ...(zone === undefined ? {} : { availabilityZone: zone }),
    ...(gpus === undefined ? {} : { gpus }),
    ...(instance === undefined ? {} : { instanceUuids: [instance] }),
    ...(numInstances === undefined ? {} : { numInstances }),
    pciRequests: pciRequests.map(({ count, vendorId }) => ({ count, specs: [{ properties: [{ key: 'vendor_id', value: vendorId }] }] })),
    gang: gang.map(({ name, instances, vcpus, memoryMb }) => ({ name, instances, flavor: { vcpus, memoryMb, extraSpecs: [] } })),
  }
  const { selectDestinations } = await client.request<{
    selectDestinations: {
      decision?: { id: string; outcome: string }
      destinations?: { selected: { host: { name: string } } }[]
      message?: string
    }
  }>(
    `mutation Place($input: SelectDestinationsInput!) {
      selectDestinations(input: $input) {
        ... on SelectDestinationsPayload { decision { id outcome } destinations { selected { host { name } } } }
        ... on NoValidHost { decision { id outcome } }
        ... on UserError { message }
      }
    }`,
    // By default the claim does not expire, because an expiry would change counts in the middle of a test.
    {
      input: {
        idempotencyKey: randomUUID(),
        spec: { gantt: spec },
        claim: reservedFor === undefined ? { mode: 'CONFIRM' } : { mode: 'RESERVE', ttl: reservedFor },
        ...(profile === undefined ? {} : { profile }),
      },
    },
  )
  const { decision, destinations = [], message } = selectDestinations
  if (decision === undefined) throw new Error(`Nothing was decided: ${message}`)
  return { decisionId: decision.id, outcome: decision.outcome, hosts: destinations.map(({ selected }) => selected.host.name) }
}

/** A filter or weigher of a profile. */
export interface Part {
  readonly name: string
  readonly shadow?: boolean
  readonly multiplier?: number
  readonly options?: object
}

/** Writes the next version of a profile. */
export async function writeVersion(
  client: Client,
  profile: string,
  note: string,
  weighers: readonly Part[],
  filters: readonly Part[] = [],
): Promise<void> {
  const { profileVersionCreate } = await client.request<{ profileVersionCreate: { version?: { number: number }; message?: string } }>(
    `mutation Write($profile: String!, $input: ProfileVersionInput!) {
      profileVersionCreate(profile: $profile, input: $input) { ... on ProfilePayload { version { number } } ... on UserError { message } } }`,
    { profile, input: { note, filters: [{ name: 'ComputeFilter' }, { name: 'RamFilter' }, ...filters], weighers } },
  )
  if (profileVersionCreate.version === undefined) throw new Error(`${profile} was not written: ${profileVersionCreate.message}`)
}

/** Activates a version, or starts a rollout of it. */
export async function activate(client: Client, version: string, rollout: object | null = null): Promise<void> {
  const { profileActivate } = await client.request<{ profileActivate: { message?: string } }>(
    `mutation Activate($version: ID!, $rollout: RolloutInput) {
      profileActivate(version: $version, rollout: $rollout) { ... on UserError { message } } }`,
    { version, rollout },
  )
  if (profileActivate.message !== undefined) throw new Error(profileActivate.message)
}

/** The objects that `seedFleet` created. */
export interface Seed {
  readonly hostCount: number
  /** A request that fits on no host: it is too large for some hosts, others are in another zone, and one is disabled. */
  readonly refused: Placement
  readonly placed: Placement
  readonly aggregates: Readonly<Record<'az1' | 'az2' | 'az3' | 'fast', string>>
}

/**
 * Creates a small fleet of 14 hosts in three zones. Hosts of the second zone have GPUs and NUMA cells, and one host of the first zone is
 * disabled. Also requests three placements: two succeed, and one finds no host.
 */
export async function seedFleet(client: Client): Promise<Seed> {
  const az1 = numbered('az1', 8)
  const az2 = numbered('az2', 4)
  const az3 = numbered('az3', 2)
  await report(client, {
    ...Object.fromEntries(az1.map((name, i) => [name, { memoryMbUsed: i * 8_192, vcpusUsed: i * 2, traits: ['HW_CPU_X86_AVX2'] }])),
    ...Object.fromEntries(az2.map((name, i) => [name, { ...GPU_MACHINE, memoryMbUsed: i * 4_096 }])),
    ...Object.fromEntries(az3.map((name) => [name, { memoryMbUsed: 60_000, vcpusUsed: 15 }])),
  })
  const aggregates = {
    az1: await gather(client, 'zone-az1', { availabilityZone: 'az1', hosts: az1 }),
    az2: await gather(client, 'zone-az2', { availabilityZone: 'az2', hosts: az2 }),
    az3: await gather(client, 'zone-az3', { availabilityZone: 'az3', hosts: az3 }),
    fast: await gather(client, 'fast-disks', { hosts: [...az1.slice(0, 3), ...az2], metadata: { ssd: 'true', rack: 'r12' } }),
  }
  await setStatus(client, 'az1-02', 'DISABLED', 'disk swap')
  const placed = await place(client, { flavor: 'm1.large', vcpus: 4, memoryMb: 8_192, rootGb: 20, zone: 'az1' })
  await place(client, { flavor: 'g1.small', gpus: { count: 1 } })
  const refused = await place(client, { flavor: 'm1.huge', vcpus: 8, memoryMb: 61_440, rootGb: 40, zone: 'az1' })
  if (placed.outcome !== 'PLACED' || refused.outcome !== 'NO_VALID_HOST')
    throw new Error(`seedFleet expects the results PLACED and NO_VALID_HOST, but found ${placed.outcome}, ${refused.outcome}`)
  return { hostCount: az1.length + az2.length + az3.length, refused, placed, aggregates }
}

/** One call has the reports of at most this many hosts. */
const BATCH = 1_000

/** Reports a fleet of any size, several hosts per call. `machine` describes each host. */
export async function reportMany(client: Client, names: readonly string[], machine: (name: string, i: number) => Machine): Promise<void> {
  for (let from = 0; from < names.length; from += BATCH)
    await report(client, Object.fromEntries(names.slice(from, from + BATCH).map((name, i) => [name, machine(name, from + i)])))
}

const PLAIN = { vcpus: 16, vcpusUsed: 0, memoryMb: 65_536, memoryMbUsed: 0, localGb: 1_000, localGbUsed: 100 }

const GPU_MACHINE: Machine = {
  gpus: [
    { index: 0, model: 'A10' },
    { index: 1, model: 'A10' },
  ],
  numaCells: [
    { id: 0, cpuset: [0, 1, 2, 3, 4, 5, 6, 7], memoryMb: 32_768 },
    { id: 1, cpuset: [8, 9, 10, 11, 12, 13, 14, 15], memoryMb: 32_768 },
  ],
}

const numbered = (zone: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `${zone}-${String(i + 1).padStart(2, '0')}`)
