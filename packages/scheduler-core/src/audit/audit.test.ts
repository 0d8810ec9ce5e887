import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { checkpointOf, restoreFleet } from '../fleet/checkpoint.ts'
import { Fleet } from '../fleet/fleet.ts'
import { Historian, histories } from '../fleet/history.suite.ts'
import type { OwnHostRecord } from '../hosts/hosts.ts'
import { poolsOf } from '../kinds/pci/pool.ts'
import { FEATURE_LEVEL } from '../records/change.ts'
import type { Claim } from '../records/claim.ts'
import { aClaim, aLog, aMove, aReport, aUuid } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'
import { STRICT_CLAIMS } from '../values/levels.ts'
import { audit } from './audit.ts'
import { compareFleets } from './diff.ts'
import { digestPart, HOSTS_PER_PART, partsOf } from './digest.ts'
import type { Finding } from './finding.ts'
import { headView } from './views.ts'

const findingsOf = (fleet: Fleet): Finding[] => [...audit(fleet)].flatMap(({ findings }) => findings)
const restored = (fleet: Fleet): Fleet => restoreFleet(JSON.parse(JSON.stringify(checkpointOf(fleet))))
const digestsOf = (fleet: Fleet): string[] => Array.from({ length: partsOf(fleet) }, (_, part) => digestPart(fleet, part))
const differencesOf = (before: Fleet, after: Fleet) => [...compareFleets(before, after)].flat()

test.each([3, FEATURE_LEVEL].flatMap((level) => [11, 12, 13, 14].map((seed) => [level, seed] as const)))(
  'a random history has no findings, and a restored fleet has the same digests (feature level %i, seed %i)',
  (level, seed) => {
    fc.assert(
      fc.property(histories, (steps) => {
        const fleet = new Fleet()
        const historian = new Historian(level)
        // Below level STRICT_CLAIMS the log accepts two claims of one instance, so the finding instance.twice is correct.
        const isMistake = ({ code }: Finding): boolean => level >= STRICT_CLAIMS || code !== 'instance.twice'
        fleet.apply(historian.first(fleet))
        for (const [i, step] of steps.entries()) {
          fleet.apply(historian.next(fleet, step))
          expect(findingsOf(fleet).filter(isMistake)).toEqual([])
          if (i % 5 > 0) continue
          const twin = restored(fleet)
          expect(findingsOf(twin)).toEqual(findingsOf(fleet))
          expect(digestsOf(twin)).toEqual(digestsOf(fleet))
          expect(differencesOf(fleet, twin)).toEqual([])
        }
      }),
      { seed, numRuns: byExtent(4, 10) },
    )
  },
)

const group = { uuid: aUuid(0x61), policy: 'ANTI_AFFINITY', maxServerPerHost: 2 } as const
const AGGREGATE = aUuid(0x70)

/** Two hosts with cells and GPUs, an aggregate, a group of two members, a reservation, an open move and an ended claim. */
function aState(): Fleet {
  const log = aLog()
  const shape = {
    vcpus: 8,
    memoryMb: 64,
    gpus: [{ index: 0, model: null, usedMilli: null }],
    numaCells: [{ id: 0, cpuset: [0, 1, 2, 3], memoryMb: 32, pages: [{ sizeKib: 4, total: 8_192 }] }],
    pciPools: [{ vendorId: 'v', productId: 'p', total: 2 }],
  }
  log.append([{ type: 'feature', level: 3 }, aReport('h1', shape), aReport('h2', shape)])
  log.append([
    { type: 'aggregate', uuid: AGGREGATE, expectedVersion: 0, next: { name: 'a', metadata: { availability_zone: 'z' }, hosts: ['h1'] } },
  ])
  const grants = {
    classes: { VCPU: 2, MEMORY_MB: 4 },
    gpu: [{ index: 0, milli: 200 }],
    numa: [{ guest: 0, cell: 0, cpus: 0, memoryMb: 4, pinned: [1], siblings: [0], pages: { sizeKib: 4, count: 1_024 } }],
    pci: [{ request: 0, pool: 'v:p', count: 1 }],
  }
  const one = { classes: { VCPU: 1 } }
  const verdicts = [
    ...log.append([aClaim({ key: 'k1', ids: ['c1'], hosts: ['h1'], grants, group, mode: 'CONFIRM' })], { at: 2_000 }),
    ...log.append([aClaim({ key: 'k2', ids: ['c2'], hosts: ['h1'], grants: one, group, mode: 'RESERVE', ttlMs: 9_000_000 })], {
      at: 3_000,
    }),
    ...log.append([aClaim({ key: 'k3', ids: ['c3'], hosts: ['h2'], grants: one, mode: 'CONFIRM' })], { at: 4_000 }),
    ...log.append([aClaim({ key: 'k4', ids: ['c4'], hosts: ['h2'], grants: one, mode: 'CONFIRM' })], { at: 5_000 }),
  ]
  const fenceOf = (id: string) => log.fleet.ledger.claims.get(id)?.fence ?? 0
  verdicts.push(...log.append([{ type: 'release', claim: 'c4', fence: fenceOf('c4'), reason: null }]))
  const { instance = null } = log.fleet.ledger.claims.get('c3') ?? {}
  const source = { claim: 'c3', fence: fenceOf('c3') }
  verdicts.push(
    ...log.append([
      aMove({ key: 'k5', ids: ['c5'], hosts: ['h1'], grants: one, instances: [instance], mode: 'RESERVE', ttlMs: 9_000_000, source }),
    ]),
  )
  expect(verdicts.filter((verdict) => verdict !== undefined)).toEqual([])
  return log.fleet
}

const h1 = ({ hosts }: Fleet): OwnHostRecord => hosts.own(0 as HostIndex)
const claim = ({ ledger }: Fleet, id: string): Claim => ledger.claims.get(id) as Claim
/** Writes invalid data into the state, which `apply` never does. */
const force = (thing: object, members: object): void => void Object.assign(thing, members)
const add = (column: { [index: number]: number } | undefined, index: number, by: number): void => {
  if (column !== undefined) column[index] = (column[index] ?? 0) + by
}

interface Fault {
  readonly name: string
  plant(fleet: Fleet): void
  /** Code, subject and field of each expected finding. */
  readonly found: readonly string[]
}

const faults: readonly Fault[] = [
  {
    name: 'a claim is added to the claimed column twice',
    plant: ({ hosts }) => add(hosts.classes.get('VCPU')?.claimed, 0, 2),
    found: ['state.column host VCPU.claimed'],
  },
  {
    name: 'the free amount of a class is too large by one',
    plant: ({ hosts }) => add(hosts.classes.get('MEMORY_MB')?.free, 1, 1),
    found: ['state.column host MEMORY_MB.free'],
  },
  {
    name: 'the capacity is larger than the report allows',
    plant: ({ hosts }) => add(hosts.classes.get('VCPU')?.capacity, 0, 100),
    found: ['state.column host VCPU.capacity'],
  },
  {
    name: 'the number of instances is too large by one',
    plant: ({ hosts }) => add(hosts.columns.instances, 0, 1),
    found: ['state.column host instances'],
  },
  {
    name: 'the number of I/O-heavy operations is too small by one',
    plant: ({ hosts }) => add(hosts.columns.ioOps, 1, -1),
    found: ['state.column host ioOps'],
  },
  {
    name: 'a GPU with a claim is completely free',
    plant: (fleet) => force(h1(fleet).gpus[0] ?? {}, { freeMilli: 1_000 }),
    found: ['state.column host GPU 0 freeMilli'],
  },
  {
    name: 'the sum over the GPUs of a host is wrong',
    plant: ({ hosts }) => add(hosts.columns.gpuFreeMilli, 1, 5),
    found: ['state.column host gpuFreeMilli'],
  },
  {
    name: 'all memory of a cell with a claim is free',
    plant: (fleet) => force(h1(fleet).cells[0] ?? {}, { memoryFree: 32 }),
    found: ['state.column host cell 0 memoryFree'],
  },
  {
    name: 'a dedicated CPU is free again',
    plant: (fleet) => h1(fleet).cells[0]?.pinnedByClaims.clear(),
    found: ['state.column host cell 0 CPU 1'],
  },
  {
    name: 'the sibling of a dedicated CPU is free again',
    plant: (fleet) => h1(fleet).cells[0]?.pinnedByClaims.delete(0),
    found: ['state.column host cell 0 CPU 0'],
  },
  {
    name: 'pages of a claim are free again',
    plant: (fleet) => force(h1(fleet).cells[0]?.pages?.[0] ?? {}, { free: 8_192 }),
    found: ['state.column host cell 0 pages of 4 KiB free'],
  },
  {
    name: 'a device of a claim is free again',
    plant: (fleet) => force(poolsOf(h1(fleet)).list[0] ?? {}, { free: 2 }),
    found: ['state.column host PCI v:p free'],
  },
  {
    name: 'an accepted claim takes more devices than exist',
    plant(fleet) {
      force(claim(fleet, 'c1'), { grants: { ...claim(fleet, 'c1').grants, pci: [{ request: 0, pool: 'v:p', count: 3 }] } })
      force(poolsOf(h1(fleet)).list[0] ?? {}, { free: -1 })
    },
    found: ['state.over_capacity host PCI v:p'],
  },
  {
    name: 'an accepted claim takes more than the host has',
    plant(fleet) {
      const columns = fleet.hosts.classes.get('VCPU')
      force(claim(fleet, 'c1'), { grants: { ...claim(fleet, 'c1').grants, classes: { VCPU: 9, MEMORY_MB: 4 } } })
      add(columns?.claimed, 0, 7)
      add(columns?.free, 0, -7)
    },
    found: ['state.over_capacity host VCPU'],
  },
  {
    name: 'one CPU is dedicated to two claims',
    plant(fleet) {
      force(claim(fleet, 'c2'), { grants: { classes: { VCPU: 1 }, numa: [{ guest: 0, cell: 0, cpus: 0, memoryMb: 0, pinned: [1] }] } })
      h1(fleet).cells[0]?.pinnedByClaims.set(1, 2)
    },
    found: ['state.over_capacity host cell 0 CPU 1'],
  },
  {
    name: 'a claim is on a host that does not exist',
    plant: (fleet) => force(claim(fleet, 'c3'), { host: 7 }),
    found: ['state.host_gone claim host'],
  },
  {
    name: 'a claim is missing on its host',
    plant: (fleet) => h1(fleet).claims.delete(claim(fleet, 'c2')),
    found: ['state.orphan_claim claim claims of the host', 'state.column host VCPU.claimed', 'state.group_count group members'],
  },
  {
    name: 'a claim is missing in the ledger',
    plant: ({ ledger }) => ledger.claimsInFull.delete('c1'),
    found: ['state.orphan_entry host claims', 'state.orphan_entry key claims'],
  },
  {
    name: 'a claim stays on its host after its end',
    plant: (fleet) => fleet.hosts.own(1 as HostIndex).claims.add(claim(fleet, 'c4')),
    found: ['state.orphan_entry host claims'],
  },
  {
    name: 'a reservation is missing in the index of reservations',
    plant: (fleet) => fleet.ledger.lapsing.delete('c2'),
    found: ['state.orphan_claim claim reservations'],
  },
  {
    name: 'the index of reservations has a confirmed claim',
    plant: (fleet) => fleet.ledger.lapsing.set('c1', claim(fleet, 'c1')),
    found: ['state.orphan_entry claim reservations'],
  },
  {
    name: 'the index of reservations has a claim that is not in the ledger',
    plant: (fleet) => fleet.ledger.lapsing.set('nobody', { ...claim(fleet, 'c2'), id: 'nobody' }),
    found: ['state.orphan_entry reservation reservations'],
  },
  {
    name: 'a key lists a claim that is not its own',
    plant: ({ ledger }) => force(ledger.findKey('acme', 'k2') ?? {}, { claims: ['c2', 'c1'] }),
    found: ['state.duplicate key claims'],
  },
  {
    name: 'a key is bound twice',
    plant: ({ ledger }) => force(ledger.findKey('acme', 'k2') ?? {}, { key: 'k1' }),
    found: ['state.duplicate key key', 'state.duplicate key claims'],
  },
  {
    name: 'a key is marked as ended while its claim is live',
    plant: ({ ledger }) => force(ledger.findKey('acme', 'k1') ?? {}, { forgottenAt: 1 }),
    found: ['state.orphan_entry key forgottenAt'],
  },
  {
    name: 'two claims are listed under one id',
    plant: (fleet) => fleet.ledger.claimsInFull.set('c9', claim(fleet, 'c1')),
    found: ['state.duplicate claim id'],
  },
  {
    name: 'a host lists another claim of the same id',
    plant: (fleet) => h1(fleet).claims.add({ ...claim(fleet, 'c2') }),
    found: ['state.duplicate host claims'],
  },
  {
    name: 'the source claim of a move does not name its destination claim',
    plant: (fleet) => force(claim(fleet, 'c3'), { target: null }),
    found: ['state.orphan_claim claim source of the move'],
  },
  {
    name: 'a group counts one member too few',
    plant: ({ groups }) => groups.own(group.uuid)?.members.set(0 as HostIndex, 1),
    found: [`state.group_count host members of ${group.uuid}`, 'state.group_count group members'],
  },
  {
    name: 'a group counts a member where it has none',
    plant: ({ groups }) => groups.own(group.uuid)?.members.set(1 as HostIndex, 1),
    found: ['state.group_count group members'],
  },
  {
    name: 'a group is forgotten while it has members',
    plant: ({ groups }) => groups.unbind(group.uuid),
    found: ['state.orphan_claim claim server group'],
  },
  {
    name: 'a host does not list an aggregate that it is in',
    plant: (fleet) => force(h1(fleet), { aggregates: [] }),
    found: ['state.orphan_entry host aggregates', 'state.orphan_entry aggregate aggregates of h1'],
  },
]

/** A host with two GPUs and two claims. The host's report shows the instance of the second claim on the GPU of the first claim. */
function onAnotherGpu(): Fleet {
  const log = aLog()
  const gpus = (first: number) => [first, 0].map((usedMilli, index) => ({ index, model: null, usedMilli }))
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h1', { gpus: gpus(0), instances: [] })])
  for (const number of [0, 1]) {
    const grants = { gpu: [{ index: number, milli: 1_000 }] }
    log.append([aClaim({ key: `k${number}`, ids: [`c${number}`], hosts: ['h1'], instances: [aUuid(number + 1)], grants, mode: 'CONFIRM' })])
  }
  log.append([aReport('h1', { gpus: gpus(1_000), instances: [aUuid(2)] }, 2)], { at: 3_000 })
  return log.fleet
}

test('if a report shows an instance on another GPU than its claim, the audit still finds a wrong sum of the free GPU shares', () => {
  expect(findingsOf(onAnotherGpu())).toEqual([])
  const fleet = onAnotherGpu()
  force(h1(fleet).gpus[1] ?? {}, { freeMilli: 1_000 })
  add(fleet.hosts.columns.gpuFreeMilli, 0, 1_000)
  add(fleet.hosts.columns.gpuMostFreeMilli, 0, 1_000)
  expect(findingsOf(fleet).map(({ code, field, expected, actual }) => [code, field, expected, actual])).toEqual([
    ['state.column', 'GPUs free', '0', '1000'],
  ])
})

test('the audit finds a claim that was accepted although the claims of the host already hold all GPUs', () => {
  const fleet = onAnotherGpu()
  const { ledger } = fleet
  const third = { ...claim(fleet, 'c1'), id: 'c3', state: 'CONFIRMED' as const, instance: null, createdAt: 9_000 }
  ledger.claimsInFull.set('c3', third)
  h1(fleet).claims.add(third)
  expect(findingsOf(fleet).map(({ code, field }) => `${code} ${field}`)).toContain('state.over_capacity GPUs')
})

test('profiles of the release are not part of the state, since another release may have other profiles', () => {
  expect(headView(new Fleet()).activeProfiles).toEqual([])
})

test('a state without faults has no findings', () => {
  expect(findingsOf(aState())).toEqual([])
})

describe('each kind of fault is found, and a comparison with the correct state shows it', () => {
  test.each(faults)('$name', ({ plant, found }) => {
    const fleet = aState()
    plant(fleet)
    const texts = findingsOf(fleet).map(({ code, subject, field }) => `${code} ${subject} ${field}`)
    for (const one of found) expect(texts).toContain(one)
    const sound = aState()
    expect(digestsOf(fleet)).not.toEqual(digestsOf(sound))
    expect(differencesOf(fleet, sound).length).toBeGreaterThan(0)
    expect(differencesOf(sound, aState())).toEqual([])
  })
})

test.each(['gpuMostFreeMilli', 'zone', 'serviceSuspect'] as const)(
  'derived data, %s, is in no digest, since another release may not have it; a wrong value is still found',
  (name) => {
    const fleet = aState()
    const column = fleet.hosts.columns[name]
    column[1] = (column[1] as number) + 1
    expect(findingsOf(fleet).map(({ code, name: host, field }) => `${code} ${host} ${field}`)).toEqual([`state.column h2 ${name}`])
    expect(digestsOf(fleet)).toEqual(digestsOf(aState()))
  },
)

test('an excess that a report caused is not blamed on claims', () => {
  const log = aLog()
  log.append([aReport('h1', { vcpus: 8 })])
  expect(log.append([aClaim({ hosts: ['h1'], grants: { classes: { VCPU: 8 } }, mode: 'CONFIRM' })], { at: 2_000 })).toEqual([undefined])
  expect(log.append([aReport('h1', { vcpus: 4 }, 2)], { at: 3_000 })).toEqual([undefined])
  expect(findingsOf(log.fleet)).toEqual([])
})

test('a comparison names the host, the member and both values, and only the digest of the part with the host differs', () => {
  const log = (hosts: number) => {
    const made = aLog()
    made.append(Array.from({ length: hosts }, (_, i) => aReport(`h${i}`, { vcpus: 8 })))
    return made.fleet
  }
  const [fleet, sound] = [log(40), log(40)]
  add(fleet.hosts.classes.get('VCPU')?.used, 20, 3)
  expect(differencesOf(fleet, sound)).toEqual([{ subject: 'host', name: 'h20', field: 'classes.VCPU.used', before: '3', after: '0' }])
  const differing = digestsOf(fleet).flatMap((digest, part) => (digest === digestsOf(sound)[part] ? [] : [part]))
  expect(differing).toEqual([1 + Math.floor(20 / HOSTS_PER_PART)])
})
