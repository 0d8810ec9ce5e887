import type { Fleet, HostIndex, RequestSpec } from '@gantt/scheduler-core'
import { demandOf } from '@gantt/scheduler-core'
import type { Placed } from './same.ts'

const BEST = 10
const ALTERNATES = 2
const [ENABLED, DOWN] = [0, 2]
/** The classes in the order in which the profile `default` filters and weighs. */
const CLASSES = ['MEMORY_MB', 'VCPU', 'DISK_GB'] as const
/** The weighers of the profile `default` that have no effect on these requests. They are in the records with 0. */
const WITHOUT_EFFECT = [0, 0, 0, 0]

/** The hosts that passed, in the order of their indexes, with their raw scores and totals. Used again by the next scan. */
interface Passed {
  readonly hosts: Int32Array
  readonly raw: readonly [Float64Array, Float64Array, Float64Array, Float64Array]
  readonly totals: Float64Array
}

/**
 * How many hosts each filter passed, and the highest raw score of each weigher. The lowest one counts as 0, because these weighers have a
 * minimum of 0 and no amount of a host that passed is below it.
 */
interface Counts {
  readonly passed: readonly number[]
  readonly highest: readonly [memory: number, cpus: number, disk: number, ops: number]
}

interface Wanted {
  readonly memory: number
  readonly cpus: number
  readonly disk: number
  /** The number of the zone. Null: any zone. */
  readonly zone: number | undefined | null
}

/**
 * The baseline for decisions: one loop over the columns of a fleet that filters and finds the bounds of scores, and one that sums up scores
 * and finds the best hosts. Makes the same record, claims and answer as the service with its profile `default`. Takes requests for one
 * instance that ask for CPUs, memory, disk, and perhaps a zone, and for nothing else. Takes fleets that no host has left, and whose hosts
 * report all of their fields and neither NUMA cells nor unit rules. The rules are read once, so they must not change later.
 */
export function createColumnarScan({ hosts }: Fleet): (request: RequestSpec) => Placed {
  const most = CLASSES.map((name) => mostForOne(hosts, name))
  const numbers = (): Float64Array => new Float64Array(hosts.count)
  const all: Passed = { hosts: new Int32Array(hosts.count), raw: [numbers(), numbers(), numbers(), numbers()], totals: numbers() }

  return (request) => {
    const { amounts } = demandOf(request)
    const { MEMORY_MB: memory, VCPU: cpus, DISK_GB: disk } = amounts
    if (memory === undefined || cpus === undefined || disk === undefined)
      throw new RangeError(`expected a request for memory, CPUs and disk, found ${JSON.stringify(amounts)}`)
    if ([memory, cpus, disk].some((need, i) => need > (most[i] as number)))
      throw new RangeError(`expected at most ${most.join(', ')} of ${CLASSES.join(', ')}, found ${JSON.stringify(amounts)}`)
    const { availabilityZone } = request
    const zone = availabilityZone === null ? null : hosts.zoneOf(availabilityZone)
    const { passed, highest } = filterHosts(hosts, { memory, cpus, disk, zone }, all)
    const count = passed.at(-1) as number
    const { best, tied } = rankHosts(all, count, highest)

    const asked = ['ComputeFilter', 'AvailabilityZoneFilter', 'RamFilter', 'CoreFilter', 'DiskFilter', 'ResourceClassFilter']
    const filters = asked
      .map((filter, i) => ({ filter, entered: i === 0 ? hosts.count : (passed[i - 1] as number), passed: passed[i] as number }))
      .filter(({ filter }) => filter !== 'AvailabilityZoneFilter' || zone !== null)
    const nameOf = (position: number) => {
      const { host, node } = hosts.get(all.hosts[position] as HostIndex)
      return { host, node }
    }
    const ranked = best.map((position) => ({
      ...nameOf(position),
      raw: [...all.raw.map((values) => values[position] as number), ...WITHOUT_EFFECT],
      total: all.totals[position] as number,
    }))
    const instances = [{ candidates: hosts.count, filters, best: ranked, tied }]
    const [first] = best
    if (first === undefined) return { parts: [], answer: [], instances }
    const limitOf = (name: string, position: number) => hosts.classColumns(name).capacity[all.hosts[position] as number] as number
    const destination = (position: number) => ({
      ...nameOf(position),
      weight: all.totals[position] as number,
      limits: Object.fromEntries(Object.keys(amounts).map((name) => [name, limitOf(name, position)])),
    })
    const instance = request.instanceUuids[0] ?? null
    return {
      parts: [{ claim: `claim of ${instance}`, instance, ...nameOf(first), grants: { classes: { ...amounts } } }],
      answer: [{ instance, selected: destination(first), alternates: best.slice(1, ALTERNATES + 1).map(destination) }],
      instances,
    }
  }
}

/** The largest amount of a class that every host gives one instance. Throws RangeError if a host has unit rules. */
function mostForOne(hosts: Fleet['hosts'], name: string): number {
  const { reported, minUnit, maxUnit, stepSize, total } = hosts.classColumns(name)
  let most = Number.POSITIVE_INFINITY
  for (let host = 0; host < hosts.count; host++) {
    if (reported[host] !== 1 || (minUnit[host] as number) > 1 || stepSize[host] !== 1)
      throw new RangeError(`expected that no host has unit rules for ${name}, found some on host ${host}`)
    most = Math.min(most, maxUnit[host] as number, total[host] as number)
  }
  return most
}

/**
 * Applies the filters to all hosts, each host up to the first filter that refuses it. The filters are those for service, zone, memory, CPUs
 * and disk. Without unit rules, the last filter of the profile refuses no further host.
 */
function filterHosts(hosts: Fleet['hosts'], { memory, cpus, disk, zone: wanted }: Wanted, { hosts: passing, raw }: Passed): Counts {
  const { count } = hosts
  const { status, liveness, serviceSuspect, zone, ioOps } = hosts.columns
  const [freeMemory, freeCpus, freeDisk] = CLASSES.map((name) => hosts.classColumns(name).free) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ]
  const [rawMemory, rawCpus, rawDisk, rawOps] = raw
  let [enabled, inZone, withMemory, withCpus, kept] = [0, 0, 0, 0, 0]
  let [maxMemory, maxCpus, maxDisk, maxOps] = [0, 0, 0, 0]
  for (let host = 0; host < count; host++) {
    if (status[host] !== ENABLED || liveness[host] === DOWN || serviceSuspect[host] !== 0) continue
    enabled++
    if (wanted !== null && zone[host] !== wanted) continue
    inZone++
    const memoryFree = freeMemory[host] as number
    if (memoryFree < memory) continue
    withMemory++
    const cpusFree = freeCpus[host] as number
    if (cpusFree < cpus) continue
    withCpus++
    const diskFree = freeDisk[host] as number
    if (diskFree < disk) continue
    const ops = ioOps[host] as number
    passing[kept] = host
    rawMemory[kept] = memoryFree
    rawCpus[kept] = cpusFree
    rawDisk[kept] = diskFree
    rawOps[kept] = ops
    kept++
    if (memoryFree > maxMemory) maxMemory = memoryFree
    if (cpusFree > maxCpus) maxCpus = cpusFree
    if (diskFree > maxDisk) maxDisk = diskFree
    if (ops > maxOps) maxOps = ops
  }
  return {
    passed: [enabled, inZone, withMemory, withCpus, kept, kept],
    highest: [maxMemory, maxCpus, maxDisk, maxOps],
  }
}

/**
 * Sums up the scores of the hosts that passed, and returns the positions of the best ones, best first, and how many hosts have the best
 * total. Of equal totals, the earlier host is better. The multipliers are 1, and -1 for I/O operations.
 */
function rankHosts(
  { raw: [memory, cpus, disk, ops], totals }: Passed,
  count: number,
  [mostMemory, mostCpus, mostDisk, mostOps]: Counts['highest'],
): { readonly best: readonly number[]; readonly tied: number } {
  const best: number[] = []
  let least = Number.NEGATIVE_INFINITY
  let top = Number.NEGATIVE_INFINITY
  let tied = 0
  for (let i = 0; i < count; i++) {
    let total = 0
    // a weigher that gives every host 0 has no effect
    if (mostMemory > 0) total += (memory[i] as number) / mostMemory
    if (mostCpus > 0) total += (cpus[i] as number) / mostCpus
    if (mostDisk > 0) total += (disk[i] as number) / mostDisk
    if (mostOps > 0) total += -1 * ((ops[i] as number) / mostOps)
    totals[i] = total
    if (total === top) tied++
    else if (total > top) {
      top = total
      tied = 1
    }
    if (best.length === BEST && total <= least) continue
    let position = Math.min(best.length, BEST - 1)
    while (position > 0 && (totals[best[position - 1] as number] as number) < total) {
      best[position] = best[position - 1] as number
      position--
    }
    best[position] = i
    if (best.length === BEST) least = totals[best[BEST - 1] as number] as number
  }
  return { best, tied }
}
