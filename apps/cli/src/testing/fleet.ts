import { type Client, graphql, type ResultOf, textOf } from '@gantt/client'

const REPORT = graphql(`mutation Report($updates: [ResourceStatsInput!]!) {
  updateResourceStats(input: { updates: $updates }) { results { __typename ... on UserError { message } } }
}`)

const AGGREGATE = graphql(`mutation Gather($input: AggregateCreateInput!) {
  aggregateCreate(input: $input) { __typename ... on UserError { message } }
}`)

/** Reports six hosts in two zones: four plain hosts, one host with a long name, and one host with GPUs and NUMA cells. */
export async function reportFleet(client: Client): Promise<void> {
  const names = ['az1-a', 'az1-b', 'az1-c', 'az2-a', 'az2-gpu', 'az2-a-host-with-a-name-that-no-terminal-has-room-for.rack7.example.org']
  const updates = names.map((name, at) => ({
    name: { host: name },
    reporter: { incarnation: `9f0c1f0e-6d0e-4f6e-9b43-0a3c61a1d00${at}`, sequence: 1 },
    report: { full: { ...FULL, memoryMbUsed: at * 8_192, vcpusUsed: at, ...(name === 'az2-gpu' ? WITH_GPUS : {}) } },
  }))
  const { updateResourceStats } = await client.request<ResultOf<typeof REPORT>>(textOf(REPORT), { updates })
  for (const result of updateResourceStats.results) expectEnd(result, 'ResourceStatsApplied')
  for (const zone of ['az1', 'az2']) {
    const input = {
      name: `zone-${zone}`,
      availabilityZone: zone,
      hosts: names.filter((name) => name.startsWith(zone)),
      metadata: [{ key: 'kind', value: 'general' }],
    }
    expectEnd((await client.request<ResultOf<typeof AGGREGATE>>(textOf(AGGREGATE), { input })).aggregateCreate, 'AggregatePayload')
  }
}

interface Ended {
  readonly __typename: string
  readonly message?: string
}

function expectEnd({ __typename, message }: Ended, wanted: string): void {
  if (__typename !== wanted) throw new Error(`${__typename}: ${message}`)
}

const FULL = { vcpus: 16, vcpusUsed: 0, memoryMb: 65_536, memoryMbUsed: 0, localGb: 1_000, localGbUsed: 100 }

const WITH_GPUS = {
  hypervisorType: 'QEMU',
  cpuInfo: { arch: 'x86_64', vendor: 'Intel', model: 'Icelake-Server' },
  gpus: [
    { index: 0, model: 'A10' },
    { index: 1, model: 'A10' },
  ],
  numaCells: [
    { id: 0, cpuset: [0, 1, 2, 3, 4, 5, 6, 7], memoryMb: 32_768 },
    { id: 1, cpuset: [8, 9, 10, 11, 12, 13, 14, 15], memoryMb: 32_768 },
  ],
}
