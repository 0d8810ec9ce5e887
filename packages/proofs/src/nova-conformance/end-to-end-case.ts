import {
  type HostCell,
  type HostSnapshot,
  type NovaPlacement,
  type NovaRound,
  placeInRounds,
  readNovaRequest,
  rulesOf,
  type SelectedHost,
} from '@gantt/scheduler-core/nova'
import { asList, asObject, asText, readCaseHost, readTime } from './case-host.ts'
import type { Case } from './cases.ts'
import { type Difference, differenceOf } from './verdicts.ts'
import { groupsOf } from './weigher-case.ts'
import { numaLimitsOf, wireOf } from './wire-form.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * Checks the placement of a whole request. Each instance is placed in a round of its own. For each round, the case records the filters, the
 * weights, the chosen host and the state of this host afterwards. For the whole request it records the alternates and the limits.
 */
export function judgeEndToEndCase(given: Case): Difference | undefined {
  const aggregates = asList(given.aggregates, 'aggregates')
  const expected = asObject(given.expected, 'expected')
  const instances = asList(given.instance_uuids, 'instance_uuids').map((uuid) => asText(uuid, 'instance uuid'))
  const placement = placeInRounds({
    rules: rulesOf(asObject(given.config, 'config')),
    request: readNovaRequest(given.spec).request,
    hosts: asList(given.hosts, 'hosts').map((host) => readCaseHost(host, aggregates)),
    instances,
    withAlternates: given.return_alternates === true,
    now: readTime(given.now),
    seed: given.id,
  })
  return differenceOf(expected, only(answerOf(placement, instances), expected), 'expected')
}

/** A placement of this service in the form of a case. */
function answerOf({ error, selected, alternates, rounds, alternateRound }: NovaPlacement, instances: readonly string[]): Json {
  const isPlaced = error === null
  return {
    error,
    selected: isPlaced ? namesOf(selected) : null,
    alternates: isPlaced ? alternates.map(namesOf) : null,
    limits: isPlaced ? selected.map(limitsOf) : [],
    rounds: rounds.map((round) => roundOf(round, instances)),
    alternate_round: alternateRound === undefined ? undefined : roundOf(alternateRound, instances),
  }
}

function roundOf({ index, input, filters, filtered, weighed, stateAfter }: NovaRound, instances: readonly string[]): Json {
  const ranked = weighed ?? []
  const order = ranked.map((_, i) => i)
  const weights = ranked.map(({ weight }) => weight)
  return {
    index,
    instance_uuid: instances[index],
    input: namesOf(input),
    filters: filters.map(({ filter, survivors }) => ({ filter, survivors: namesOf(survivors) })),
    filtered: namesOf(filtered),
    // A round in which nothing was weighed has no weights in its record.
    ...(ranked.length > 0 && {
      weighed: ranked.map(({ host, weight }) => [host.host, weight]),
      tie_groups: groupsOf(order, weights).map((group) => group.map((i) => ranked[i]?.host.host)),
    }),
    ...(stateAfter !== undefined && { selected: stateAfter.host, state_after: stateOf(stateAfter) }),
  }
}

function stateOf(state: HostSnapshot): Json {
  return {
    host: state.host,
    free_ram_mb: state.freeRamMb,
    free_disk_mb: state.freeDiskMb,
    vcpus_used: state.vcpusUsed,
    num_instances: state.numInstances,
    num_io_ops: state.numIoOps,
    instances: [...state.instances].sort(),
    pci_pools: state.pciPools.map(({ keys, count }) => ({ ...keys, count })),
    numa: state.numaTopology?.cells.map(cellOf) ?? null,
  }
}

const cellOf = (cell: HostCell): Json => ({
  id: cell.id,
  cpu_usage: cell.cpuUsage,
  memory_usage: cell.memoryUsage,
  pinned_cpus: cell.pinnedCpus,
  mempages: cell.mempages.map(({ sizeKib, total, used, reserved }) => ({ size_kb: sizeKib, total, used, reserved })),
})

/** A host's limits as Nova's SchedulerLimits. */
const limitsOf = ({ limits }: SelectedHost): Json =>
  wireOf('SchedulerLimits', '1.0', {
    numa_topology: limits.numaTopology === undefined ? null : numaLimitsOf(limits.numaTopology),
    vcpu: limits.vcpu ?? null,
    disk_gb: limits.diskGb ?? null,
    memory_mb: limits.memoryMb ?? null,
  })

const namesOf = (hosts: readonly { readonly host: string }[]): readonly string[] => hosts.map(({ host }) => host)

/** The answer restricted to the fields that the case has recorded. */
const only = (answer: Json, expected: Json): Json => Object.fromEntries(Object.keys(expected).map((field) => [field, answer[field]]))
