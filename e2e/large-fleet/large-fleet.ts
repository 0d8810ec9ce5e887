import type { Client } from '@gantt/client'
import { test as base, expect } from '../fixtures.ts'
import { activate, gather, keyFor, type Machine, type Placement, place, reportMany, setStatus, writeVersion } from '../seed.ts'
import { type Service, startService } from '../service.ts'

// A fleet of any size (`GANTT_LARGE_FLEET`), created by mutations of the API. The tests get the expected values from the API, or compute
// them from the size.

/** The default number of hosts. */
export const USUAL = 10_000
const MIN_HOSTS = 50
/** The maximum count of hosts. An aggregate can have 100,000 hosts, and the aggregate of a zone has a quarter of the fleet. */
const MAX_HOSTS = 400_000

/** The count of hosts in the fleet: `GANTT_LARGE_FLEET`, or 10,000 if it is not set. */
export const LARGE = readSize(process.env.GANTT_LARGE_FLEET)

/** How much longer, in milliseconds, than on a small fleet an operation on all hosts, or the creation of the fleet, may take. */
export const EXTRA_TIMEOUT_MS = LARGE * 6

export const ZONES = ['az1', 'az2', 'az3', 'az4'] as const

/** One call edits at most this many members of an aggregate. */
const AT_ONCE = 10_000
/** One call sets the status of at most this many hosts. */
const STATUSES_AT_ONCE = 1_000
/** At most this many requests are sent concurrently. */
const ASKED_TOGETHER = 10

export interface LargeSeed {
  /** The names of all hosts, sorted. */
  readonly names: readonly string[]
  /** A revision at which only a part of the hosts had reported, and the count of these hosts. */
  readonly early: { readonly revision: string; readonly hosts: number }
  /** The uuid of an aggregate with a quarter of all hosts, from every zone. */
  readonly quarter: string
  /**
   * A request that fits on no host. Three quarters of the hosts are in other zones. The hosts of the requested zone lack memory or CPUs, or
   * are disabled or draining.
   */
  readonly refused: Placement
  /** A request that fits on any host of the first zone with enough free resources. */
  readonly placed: Placement
  /** Two decisions on the same request. Between them, the host of the first decision was disabled. */
  readonly twice: readonly [Placement, Placement]
}

export interface LargeFleet extends Service, LargeSeed {}

/** Tests on the large fleet. All tests of a worker share one service. */
export const test = base.extend<object, { readonly large: LargeFleet }>({
  large: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the needed fixtures from this pattern
    async ({}, use) => {
      const service = await startService()
      try {
        await use({ ...service, ...(await seedLargeFleet(service.client, LARGE)) })
      } finally {
        await service.stop()
      }
    },
    { scope: 'worker', timeout: 120_000 + EXTRA_TIMEOUT_MS },
  ],
  baseURL: async ({ large }, use) => use(large.origin),
  visit: async ({ page, large }, use) => {
    await use(async (path) => {
      await page.goto(`${path}#key=${large.key}`)
      await expect(page.getByRole('main')).toBeVisible()
    })
  },
})

/** How many hosts have an index that meets the condition. */
export const hostsWhere = (holds: (i: number) => boolean): number => Array.from({ length: LARGE }, (_, i) => i).filter(holds).length

export const zoneOf = (i: number): number => Math.floor((i * ZONES.length) / LARGE)

/** True if a host is in the aggregate with a quarter of all hosts: every fourth host of every zone. */
export const isInQuarter = (i: number): boolean => i % 4 === 1

const isDisabled = (i: number): boolean => i % 50 === 20
const isDraining = (i: number): boolean => i % 50 === 45
/** True if a host accepts new instances. */
export const isOpen = (i: number): boolean => !isDisabled(i) && !isDraining(i)

function machineOf(i: number): Machine {
  return {
    memoryMbUsed: 8_192 + ((i * 7) % 59) * 1_024,
    vcpusUsed: zoneOf(i) === 3 && i % 7 === 0 ? 12 : i % 5,
    localGbUsed: 100 + (i % 8) * 50,
    traits: ['HW_CPU_X86_AVX2', ...(i % 10 === 3 ? ['HW_CPU_X86_AVX512F'] : [])],
  }
}

async function seedLargeFleet(client: Client, size: number): Promise<LargeSeed> {
  const digits = Math.max(5, String(size - 1).length)
  const names = Array.from({ length: size }, (_, i) => `cmp-${String(i).padStart(digits, '0')}`)
  const half = Math.floor(size / 2)
  await reportMany(client, names.slice(0, half), (_, i) => machineOf(i))
  const { fleet } = await client.request<{ fleet: { asOf: string; hostCount: number } }>('{ fleet { asOf hostCount } }')
  await reportMany(client, names.slice(half), (_, i) => machineOf(half + i))

  const those = (holds: (i: number) => boolean): string[] => names.filter((_, i) => holds(i))
  for (const [zone, availabilityZone] of ZONES.entries())
    await gatherMany(
      client,
      `zone-${availabilityZone}`,
      { availabilityZone },
      those((i) => zoneOf(i) === zone),
    )
  const quarter = await gatherMany(client, 'fast-disks', { metadata: { ssd: 'true' } }, those(isInQuarter))
  await gatherMany(
    client,
    'wide-vectors',
    { metadata: { avx512: 'true' } },
    those((i) => i % 10 === 3),
  )
  for (const rack of [1, 2, 3])
    await gather(client, `rack-${rack}`, { metadata: { rack: `r${rack}` }, hosts: those((i) => i % 50 === rack) })

  await setStatusOfMany(client, those(isDisabled), 'DISABLED', 'disk swap')
  await setStatusOfMany(client, those(isDraining), 'DRAINING', 'its rack is moved')

  await tablesFollowed(client)
  const placed = await place(client, { flavor: 'm1.large', vcpus: 4, memoryMb: 8_192, rootGb: 20, zone: 'az1' })
  const refused = await place(client, { flavor: 'm1.huge', vcpus: 8, memoryMb: 61_440, rootGb: 40, zone: 'az4' })
  const first = await place(client, { flavor: 'm1.twice', vcpus: 2, memoryMb: 4_096, zone: 'az2' })
  await setStatus(client, first.hosts[0] ?? '', 'DISABLED', 'disk swap')
  const second = await place(client, { flavor: 'm1.twice', vcpus: 2, memoryMb: 4_096, zone: 'az2' })
  expect([placed, refused, first, second].map(({ outcome }) => outcome)).toEqual(['PLACED', 'NO_VALID_HOST', 'PLACED', 'PLACED'])

  await together(60, (i) => place(client, { flavor: 'm1.small', vcpus: 1, memoryMb: 512, zone: `az${1 + (i % 4)}` }))
  // The instances are so large that only few more of them fit on a host. All that fit can therefore be counted, whatever the fleet's size.
  await together(20, () => place(client, { flavor: 'm1.broad', vcpus: 12, memoryMb: 40_960 }))
  // These requests are sent one after the other. The service searches the causes of refusals one at a time, and a call whose answer takes
  // longer than ten seconds fails.
  for (let i = 0; i < 30; i++) await place(client, { flavor: 'm1.wide', vcpus: 200 + i })
  for (let i = 0; i < 10; i++) await place(client, { flavor: 'm1.elsewhere', zone: 'az9' })
  for (let i = 0; i < 4; i++) await place(client, { flavor: 'm1.tiny', vcpus: 0, memoryMb: 64, numInstances: 50 })
  await together(20, () => place(client, { flavor: 'm1.reserved', vcpus: 1, memoryMb: 256, reservedFor: 'PT2H' }))

  await writeVersion(client, 'even-memory', 'spreads', [{ name: 'RAMWeigher', multiplier: 1 }])
  await writeVersion(client, 'even-memory', 'packs', [{ name: 'RAMWeigher', multiplier: -1 }])
  await activate(client, 'even-memory@2', { mode: 'SHADOW' })
  await together(10, () => place(client, { flavor: 'm1.even', profile: 'even-memory', vcpus: 1, memoryMb: 256 }))
  for (let i = 0; i < 12; i++) await keyFor(client, `reader-${i}`, ['READ'])
  return { names, early: { revision: fleet.asOf, hosts: fleet.hostCount }, quarter, refused, placed, twice: [first, second] }
}

/** Creates an aggregate of any number of hosts with as many calls as needed. Returns its uuid. */
async function gatherMany(
  client: Client,
  name: string,
  shape: Omit<Parameters<typeof gather>[2], 'hosts'>,
  hosts: readonly string[],
): Promise<string> {
  const uuid = await gather(client, name, { ...shape, hosts: hosts.slice(0, AT_ONCE) })
  for (let from = AT_ONCE; from < hosts.length; from += AT_ONCE) {
    const { aggregateUpdate } = await client.request<{ aggregateUpdate: { __typename: string; message?: string } }>(
      `mutation GatherMore($uuid: UUID!, $version: Int!, $hosts: [String!]!) {
        aggregateUpdate(uuid: $uuid, ifVersion: $version, input: { addHosts: $hosts }) { __typename ... on UserError { message } } }`,
      { uuid, version: from / AT_ONCE, hosts: hosts.slice(from, from + AT_ONCE) },
    )
    if (aggregateUpdate.__typename !== 'AggregatePayload') throw new Error(`No hosts were added to ${name}: ${aggregateUpdate.message}`)
  }
  return uuid
}

/** Sets the status of any number of hosts. */
async function setStatusOfMany(client: Client, hosts: readonly string[], status: 'DISABLED' | 'DRAINING', reason: string): Promise<void> {
  for (let from = 0; from < hosts.length; from += STATUSES_AT_ONCE)
    await setStatus(client, hosts.slice(from, from + STATUSES_AT_ONCE), status, reason)
}

/**
 * Waits until the tables have caught up with the log. Decisions are read from the tables, which need a while after many hosts have
 * reported.
 */
async function tablesFollowed(client: Client): Promise<void> {
  const behind = async (): Promise<number> => {
    const { fleet, fleetLog } = await client.request<{ fleet: { asOf: string }; fleetLog: { tablesRevision: string } }>(
      '{ fleet { asOf } fleetLog { tablesRevision } }',
    )
    return Number(fleet.asOf) - Number(fleetLog.tablesRevision)
  }
  await expect.poll(behind, { timeout: EXTRA_TIMEOUT_MS }).toBe(0)
}

/** Repeats an action `count` times, a limited number of them concurrently. */
async function together(count: number, act: (i: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += ASKED_TOGETHER)
    await Promise.all(Array.from({ length: Math.min(ASKED_TOGETHER, count - from) }, (_, i) => act(from + i)))
}

function readSize(text: string | undefined): number {
  if (text === undefined || text === '') return USUAL
  const size = Number(text)
  if (/^\d+$/.test(text) && size >= MIN_HOSTS && size <= MAX_HOSTS) return size
  throw new Error(
    `GANTT_LARGE_FLEET is ${JSON.stringify(text)}; it must be the number of hosts of the large fleet, ` +
      `a whole number from ${MIN_HOSTS} to ${MAX_HOSTS.toLocaleString('en-US')}`,
  )
}
