import { describe, expect, test } from 'vitest'
import { weighers } from '../bundled.ts'
import type { Weigher } from '../contracts/weigher.ts'
import { openOverlay } from '../fleet/overlay.ts'
import type { GroupPolicy } from '../records/change.ts'
import { aClaim, aLog, aReport, aRequest, aUuid, type HostShape } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'

type Request = Parameters<typeof aRequest>[0]

interface Row {
  readonly host?: HostShape
  readonly claim?: Parameters<typeof aClaim>[0]
  readonly request?: Request
  readonly options?: Readonly<Record<string, unknown>>
  readonly raw: number
}

const named = (name: string): Weigher => {
  const weigher = weighers.find((known) => known.name === name)
  if (weigher === undefined) throw new Error(`no weigher ${name}`)
  return weigher
}

function rawOf(weigher: Weigher, { host = {}, claim, request, options = {} }: Omit<Row, 'raw'>): number {
  const log = aLog()
  log.append([aReport('h1', host)])
  if (claim !== undefined) expect(log.append([aClaim(claim)])).toEqual([undefined])
  return weigher.prepare(aRequest(request), log.fleet, options, 1)(0 as HostIndex)
}

const gpus = (...usedMilli: readonly (number | null)[]) => ({ gpus: usedMilli.map((used, index) => ({ index, usedMilli: used })) })
const cell = (id: number, cpuUsage: number, memoryUsageMb = 0) => ({
  id,
  cpuset: [0, 1, 2, 3].map((cpu) => cpu + id * 4),
  memoryMb: 100,
  cpuUsage,
  memoryUsageMb,
})
const group = (policy: GroupPolicy) => ({ uuid: aUuid(7), policy, maxServerPerHost: null })
const oneCell = { numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 1 }] } }
const half = { frequency: 1, cpu: 1, gpus: 1, shareMilli: 500 }

const tables: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  RAMWeigher: {
    'free memory in MiB': { host: { memoryMb: 1_000, memoryMbUsed: 300 }, raw: 700 },
    'claims are subtracted': { host: { memoryMb: 2_000 }, claim: {}, raw: 976 },
    'overcommit is included': { host: { memoryMb: 1_000, ramAllocationRatio: 1.5 }, raw: 1_500 },
    'a negative free amount gives 0': { host: { memoryMb: 100, memoryMbUsed: 300 }, raw: 0 },
  },
  CPUWeigher: {
    'free virtual CPUs': { host: { vcpus: 8, vcpusUsed: 3 }, raw: 5 },
    'a negative free amount gives 0': { host: { vcpus: 1, vcpusUsed: 3 }, raw: 0 },
  },
  DiskWeigher: {
    'free disk in GiB': { host: { localGb: 100, localGbUsed: 30 }, raw: 70 },
    'a negative free amount gives 0': { host: { localGb: 1, localGbUsed: 3 }, raw: 0 },
  },
  ServerGroupSoftAffinityWeigher: {
    'members on the host': { claim: { group: group('SOFT_AFFINITY') }, request: { instanceGroup: group('SOFT_AFFINITY') }, raw: 1 },
    'members without claims, on hosts that the request lists': {
      claim: { group: group('SOFT_AFFINITY') },
      request: { instanceGroup: { ...group('SOFT_AFFINITY'), hosts: ['h1', 'h1', 'h2'] } },
      raw: 2,
    },
    'a group with a different policy has no effect': { request: { instanceGroup: { ...group('AFFINITY'), hosts: ['h1'] } }, raw: 0 },
    'no group': { claim: { group: group('SOFT_AFFINITY') }, raw: 0 },
  },
  ServerGroupSoftAntiAffinityWeigher: {
    'members on the host lower the score': {
      claim: { group: group('SOFT_ANTI_AFFINITY') },
      request: { instanceGroup: group('SOFT_ANTI_AFFINITY') },
      raw: -1,
    },
    'a group without members': { request: { instanceGroup: group('SOFT_ANTI_AFFINITY') }, raw: 0 },
  },
  IoOpsWeigher: {
    'operations as reported': { host: { numIoOps: 7 }, raw: 7 },
    'a claim that the report does not include is added': { host: { numIoOps: 7 }, claim: {}, raw: 8 },
  },
  NumInstancesWeigher: {
    'instances as reported': { host: { runningVms: 3 }, raw: 3 },
    'a claim that the report does not include is added': { host: { runningVms: 3 }, claim: {}, raw: 4 },
  },
  BestFitWeigher: {
    'an empty host with four CPUs and a request for one': { host: { vcpus: 4, memoryMb: 4_096 }, raw: 1 - (0.75 / 2 + 0.75 / 2) },
    'a host that the request fills': { host: { vcpus: 1, memoryMb: 1_024 }, raw: 1 },
    'only the resources of the options': { host: { vcpus: 4 }, options: { resources: [{ resourceClass: 'VCPU' }] }, raw: 0.25 },
    'a scale instead of the capacity': { host: { vcpus: 4 }, options: { resources: [{ resourceClass: 'VCPU', scale: 10 }] }, raw: 0.7 },
    'scores in integer points': { host: { vcpus: 3 }, options: { resources: [{ resourceClass: 'VCPU' }], points: true }, raw: 33 },
    'thousandths of GPUs': {
      host: gpus(0, 500),
      request: { gpus: { shareMilli: 500 } },
      options: { resources: [{ resourceClass: 'GPU_MILLI' }] },
      raw: 0.5,
    },
    'a host without the resource': { options: { resources: [{ resourceClass: 'CUSTOM_X' }] }, raw: 1 },
  },
  DotProductWeigher: {
    'an empty host with four CPUs and a request for one': {
      host: { vcpus: 4 },
      options: { resources: [{ resourceClass: 'VCPU' }] },
      raw: 0.75,
    },
    'a full host has no free shares': { host: { vcpus: 4, vcpusUsed: 4 }, options: { resources: [{ resourceClass: 'VCPU' }] }, raw: 1 },
  },
  NUMAImbalanceWeigher: {
    'even cells': { host: { numaCells: [cell(0, 1), cell(1, 1)] }, request: oneCell, raw: 0 },
    'one full and one empty cell': { host: { numaCells: [cell(0, 4), cell(1, 0)] }, request: oneCell, raw: 1 },
    'the scarcer of CPUs and memory decides': { host: { numaCells: [cell(0, 0, 50), cell(1, 1)] }, request: oneCell, raw: 0.25 },
    'a host without cells': { request: oneCell, raw: 0 },
    'a guest without cells: all hosts get the same score': { host: { numaCells: [cell(0, 4), cell(1, 0)] }, raw: 0 },
  },
  GpuFragmentationWeigher: {
    'without typical requests all hosts get the same score': { host: gpus(0), request: { gpus: { shareMilli: 500 } }, raw: 50 },
    'a host without enough GPUs': { request: { gpus: {} }, options: { typical: [half] }, raw: 0 },
    'a share that fills a half-used GPU causes no fragmentation': {
      host: gpus(500),
      request: { gpus: { shareMilli: 500 } },
      options: { typical: [half] },
      raw: 50,
    },
    'a share that leaves a rest too small for the typical request': {
      host: gpus(0),
      request: { gpus: { shareMilli: 600 } },
      options: { typical: [half] },
      raw: 40,
    },
  },
}

describe.each(Object.entries(tables))('%s', (name, rows) => {
  test.each(Object.entries(rows))('%s', (_row, { raw, ...row }) => {
    expect(rawOf(named(name), row)).toBe(raw)
  })
})

describe('GPU weighers rank hosts', () => {
  const rank = (name: string, hosts: Readonly<Record<string, Omit<Row, 'raw' | 'request'>>>, request: Request) =>
    Object.entries(hosts)
      .map(([host, row]) => ({ host, raw: rawOf(named(name), { ...row, ...(request === undefined ? {} : { request }) }) }))
      .sort((a, b) => b.raw - a.raw)
      .map(({ host }) => host)

  test('GpuPackingWeigher prefers the fullest GPUs in use, then idle GPUs of a host in use, then an idle host', () => {
    const hosts = {
      idle: { host: gpus(0, 0) },
      used: { host: gpus(0, 1_000) },
      half: { host: gpus(500, 0) },
      filled: { host: gpus(800, 0) },
    }
    expect(rank('GpuPackingWeigher', hosts, { gpus: { shareMilli: 200 } })).toEqual(['filled', 'half', 'used', 'idle'])
  })

  test('GpuClusteringWeigher prefers hosts with the same kind of use, then idle hosts, then hosts with other kinds of use', () => {
    const share = { grants: { gpu: [{ index: 0, milli: 500 }] } }
    const whole = { grants: { gpu: [{ index: 0, milli: 1_000 }] } }
    const two = gpus(null, null)
    const hosts = { idle: { host: two }, shares: { host: two, claim: share }, wholes: { host: two, claim: whole } }
    expect(rank('GpuClusteringWeigher', hosts, { gpus: { shareMilli: 200 } })).toEqual(['shares', 'idle', 'wholes'])
    expect(rank('GpuClusteringWeigher', hosts, { gpus: {} })).toEqual(['wholes', 'idle', 'shares'])
  })
})

test('every weigher has a name, a description and a unit', () => {
  expect(new Set(weighers.map(({ name }) => name)).size).toBe(weighers.length)
  for (const { description, unit } of weighers) expect([/^[A-Z0-9].*\.$/.test(description), unit.length > 0]).toEqual([true, true])
})

test.each(weighers.map((weigher) => [weigher.name, weigher] as const))('%s gives a number for every host', (_name, weigher) => {
  const log = aLog()
  log.append([
    aReport('none', { vcpus: 0, memoryMb: 0, localGb: 0 }),
    aReport('over', { vcpus: 1, vcpusUsed: 9, memoryMb: 1, memoryMbUsed: 9, ...gpus(1_000) }),
  ])
  for (const request of [aRequest(), aRequest({ vcpus: 0, memoryMb: 0 }), aRequest({ gpus: { count: 2 } }), aRequest(oneCell)]) {
    const raw = weigher.prepare(request, log.fleet, {}, 1)
    for (const host of [0, 1]) expect(Number.isFinite(raw(host as HostIndex))).toBe(true)
  }
})

test.each(weighers.filter(({ cacheKey }) => cacheKey !== undefined).map((weigher) => [weigher.name, weigher] as const))(
  '%s gives the same number for every request with the same cache key',
  (_name, weigher) => {
    const log = aLog()
    log.append([aReport('h1', { numaCells: [cell(0, 1), cell(1, 3)], ...gpus(0, 400) })])
    const shapes: readonly Request[] = [
      {},
      { vcpus: 2 },
      oneCell,
      { gpus: {} },
      { gpus: { shareMilli: 300 } },
      { gpus: { models: ['A'] } },
      { ignoreHosts: ['x'] },
    ]
    const options = {}
    const byKey = new Map<string | undefined, number>()
    for (const request of shapes.map(aRequest)) {
      const [key, raw] = [weigher.cacheKey?.(request, options), weigher.prepare(request, log.fleet, options, 1)(0 as HostIndex)]
      expect(byKey.get(key) ?? raw).toBe(raw)
      byKey.set(key, raw)
    }
  },
)

test('weighers count the resources and instances that an overlay holds', () => {
  const log = aLog()
  log.append([aReport('h1', { vcpus: 4 })])
  const overlay = openOverlay(log.fleet)
  const [part] = aClaim().parts
  if (part !== undefined) overlay.hold(part, null)
  expect(named('CPUWeigher').prepare(aRequest(), log.fleet, {}, 1)(0 as HostIndex)).toBe(3)
  expect(named('NumInstancesWeigher').prepare(aRequest(), log.fleet, {}, 1)(0 as HostIndex)).toBe(1)
  overlay.discard()
})
