import {
  at,
  type Decided,
  type Fact,
  type Filter,
  Fleet,
  filters,
  type HostIndex,
  type LogEntry,
  type PreparedFilter,
  type Profile,
  type Reason,
  type RequestSpec,
  STRICT_CLAIMS,
  type Void,
  type Weigher,
  weighers,
} from '@gantt/scheduler-core'
import { forgetMovedUnits, type PickedUnitKind } from '@gantt/scheduler-core/testing'
import { type Core, trueCore } from '../core.ts'

/** A mistake that a test has inserted into the core. `remove` undoes it. */
export interface Planted {
  readonly core: Core
  remove(): void
}

type Plant = () => Planted

/** The planted mistakes. The comparison with the model must find each of them. */
export const mistakes: Readonly<Record<string, Plant>> = {
  'need and have of a reason are swapped': spoilReason('RamFilter', ({ need = 0, have = 0, ...rest }) => ({
    ...rest,
    need: have,
    have: need,
  })),
  'a reason has one unit less than is free': spoilReason('DiskFilter', (reason) => moreOf(reason, -1)),
  'a reason needs one unit more than was asked': spoilReason('CoreFilter', (reason) => ({ ...reason, need: Number(reason.need) + 1 })),
  'a reason states the free amount of another class': spoilReason('RamFilter', (reason, host, { hosts }) => ({
    ...reason,
    have: at(hosts.classColumns('VCPU').free, host),
  })),
  'a reason has another code': spoilReason('GpuFilter', (reason) => ({ ...reason, code: 'gpu.short' })),
  'a reason counts a GPU that does not fit': spoilReason('GpuFilter', (reason) => moreOf(reason, 1)),
  'an exact fit does not fit': spoilRequest('RamFilter', ({ flavor, ...rest }) => ({
    ...rest,
    flavor: { ...flavor, memoryMb: flavor.memoryMb + 1 },
  })),
  'swap is not counted': spoilRequest('DiskFilter', ({ flavor, ...rest }) => ({ ...rest, flavor: { ...flavor, swapMb: 0 } })),
  'forbidden traits are not checked': spoilRequest('TraitsFilter', ({ flavor, ...rest }) => ({
    ...rest,
    flavor: { ...flavor, extraSpecs: Object.fromEntries(Object.entries(flavor.extraSpecs).filter(([, value]) => value !== 'forbidden')) },
  })),
  'members on other hosts are ignored': spoilRequest('ServerGroupAntiAffinityFilter', ({ instanceGroup, ...rest }) => ({
    ...rest,
    instanceGroup: instanceGroup && { ...instanceGroup, hosts: [] },
  })),
  'one instance is given more memory than the host has': spoilFilter('RamFilter', (prepare) => (request, fleet, options) => {
    const { featureLevel } = fleet.hosts
    fleet.hosts.featureLevel = STRICT_CLAIMS - 1
    try {
      return prepare(request, fleet, options)
    } finally {
      fleet.hosts.featureLevel = featureLevel
    }
  }),
  'memory set aside as huge pages is given as plain memory': spoilPassesWhere('ResourceClassFilter', 'memory.huge_pages'),
  'a guest cell gets more shared CPUs than its host cell has': spoilPassesWhere('NUMATopologyFilter', 'numa.too_few_cpus'),
  'a pinned guest gets memory that another guest has': spoilPassesWhere('NUMATopologyFilter', 'numa.pinned_memory'),
  'hosts that are down pass the filter': spoilPasses('ComputeFilter', () => true),
  'a host that the net refuses is accepted': spoilPasses('NUMATopologyFilter', () => true),
  'a weigher is off by one': spoilRaw('CPUWeigher', (raw) => raw + 1),
  'a weigher is off in its last bit': spoilRaw('BestFitWeigher', (raw) => raw * (1 + Number.EPSILON)),
  'a weigher prefers the opposite': spoilRaw('ServerGroupSoftAntiAffinityWeigher', (raw) => -raw),
  'the contributions of weighers are added in the reverse order': spoilProfile(
    (profile) => ({ ...profile, weighers: [...profile.weighers].reverse() }),
    (raw) => [...raw].reverse(),
  ),
  'ties are decided in the order of hosts if the profile has seeded ties, and by the seed otherwise': spoilProfile((profile) => ({
    ...profile,
    tieOrder: profile.tieOrder === 'seeded' ? 'first-seen' : 'seeded',
  })),
  'multipliers of aggregates are ignored': spoilProfile((profile) => ({
    ...profile,
    weighers: profile.weighers.map((weigher) =>
      'aggregateMultiplier' in weigher.options ? { ...weigher, options: { aggregateMultiplier: false } } : weigher,
    ),
  })),
  'the best host is always chosen, whatever hostSubsetSize is': spoilProfile((profile) => ({ ...profile, hostSubsetSize: 1 })),
  'cells are always tried in the order of their ids': spoilProfile(({ assignment: { numa: _, ...assignment }, ...profile }) => ({
    ...profile,
    assignment,
  })),
  'the required and the actual number of facts are swapped': spoilFilter('RamFilter', (prepare) => (request, fleet, options) => {
    const prepared = prepare(request, fleet, options)
    const swap = ({ required = 0, actual = 0, ...rest }: Fact): Fact => ({ ...rest, required: actual, actual: required })
    return prepared && { ...prepared, facts: (host) => (prepared.facts?.(host) ?? []).map(swap) }
  }),
  'a term of the free amount is counted as 0': spoilFilter('DiskFilter', (prepare) => (request, fleet, options) => {
    const prepared = prepare(request, fleet, options)
    const forget = ({ terms = [], ...rest }: Fact): Fact => ({
      ...rest,
      terms: terms.map((term) => (term.name === 'claimed' ? { ...term, value: 0 } : term)),
    })
    return prepared && { ...prepared, facts: (host) => (prepared.facts?.(host) ?? []).map(forget) }
  }),
  'capacity counts an instance that does not fit': spoilCore({
    countCapacity: function* (fleet, options) {
      const capacity = yield* trueCore.countCapacity(fleet, options)
      return { ...capacity, fits: capacity.fits + 1 }
    },
  }),
  'a change is proposed that was never tried': spoilCore({
    whatWouldFit: function* (fleet, options) {
      const answer = yield* trueCore.whatWouldFit(fleet, options)
      const { request } = options
      const more = { ...request, numInstances: request.numInstances + 1, instanceUuids: [] }
      return { ...answer, counterfactuals: answer.counterfactuals.map((one) => ({ ...one, request: more })) }
    },
  }),
  'a claim holds nothing if its host uses the GPU that the claim names': forgetsMoved('GPU'),
  'a claim holds nothing if its host uses the dedicated CPU that the claim names': forgetsMoved('DEDICATED_CPU'),
  'a replaced host gives its claims new fences': spoilApply((fleet, entry, apply) => {
    const verdicts = apply()
    for (const change of entry.changes)
      if (change.type === 'replace')
        for (const { claims } of change.hosts.flatMap(({ to }) => fleet.hosts.find(to) ?? []))
          for (const claim of claims) fleet.ledger.own(claim).fence += 1
    return verdicts
  }),
  'a claim survives although its host is forgotten by force': spoilApply((fleet, entry, apply) => {
    const { ledger } = fleet
    const end = ledger.end.bind(ledger)
    if (entry.changes.some(({ type }) => type === 'forget')) ledger.end = () => undefined
    try {
      return apply()
    } finally {
      ledger.end = end
    }
  }),
  'a report brings a forgotten host back': spoilApply((fleet, _entry, apply) => {
    fleet.hosts.refusesName = () => undefined
    return apply()
  }),
  'a report overwrites what an operator set': spoilReports((host) => {
    host.allocation = {}
  }),
  'a report overwrites the ratio of an aggregate': spoilReports((host) => {
    host.aggregateRatios = {}
  }),
  'a report removes what an import set': spoilReports((_host, { hosts }) => {
    hosts.fleetAllocation = { ...hosts.fleetAllocation, release: null, classes: {} }
  }),
  'the auditor overlooks instances without a claim': spoilCore({
    *auditWorld(...given) {
      for (const looked of trueCore.auditWorld(...given))
        yield { ...looked, findings: looked.findings.filter(({ code }) => code !== 'instance.unclaimed') }
    },
  }),
  'a report frees resources that its own instances hold': spoilCore({
    decide: (fleet, overlay, input) => {
      for (const { covered, used, claimed, free } of fleet.hosts.classes.values())
        for (const { index } of fleet.hosts.records) {
          const beyond = Math.max(0, at(covered, index) - at(used, index))
          claimed[index] = at(claimed, index) - beyond
          free[index] = at(free, index) + beyond
        }
      return trueCore.decide(fleet, overlay, input)
    },
  }),
  'a replay uses another seed': spoilCore({
    replay: (fleet, before, record) => {
      const again = trueCore.replay(fleet, before, { ...record, seed: `${record.seed}!` })
      return { ...again, record: { ...again.record, seed: record.seed } }
    },
  }),
  'an explanation ignores the earlier instances of the request': spoilCore({
    examineAgain: (fleet, before, record, _instance, read) => trueCore.examineAgain(fleet, before, record, 0, read),
  }),
}

/** Changes the effect of every entry that is applied to any fleet. */
function spoilApply(around: (fleet: Fleet, entry: LogEntry, apply: () => readonly Void[]) => readonly Void[]): Plant {
  return () => {
    const { apply } = Fleet.prototype
    Fleet.prototype.apply = function (this: Fleet, entry) {
      return around(this, entry, () => apply.call(this, entry))
    }
    return {
      core: trueCore,
      remove() {
        Fleet.prototype.apply = apply
      },
    }
  }
}

/** Changes a host just before its second or a later report is applied. */
function spoilReports(change: (host: ReturnType<Fleet['hosts']['own']>, fleet: Fleet) => void): Plant {
  return spoilApply((fleet, { changes }, apply) => {
    for (const one of changes) {
      const known = one.type === 'report' ? fleet.hosts.find(one) : undefined
      if (known !== undefined) change(fleet.hosts.own(known.index), fleet)
    }
    return apply()
  })
}

function forgetsMoved(unit: PickedUnitKind): Plant {
  return spoilCore({
    decide: (fleet, overlay, input) => {
      forgetMovedUnits(fleet, [unit])
      return trueCore.decide(fleet, overlay, input)
    },
  })
}

function moreOf(reason: Reason, by: number): Reason {
  return typeof reason.have === 'number' ? { ...reason, have: reason.have + by } : reason
}

function spoilCore(parts: Partial<Core>): Plant {
  return () => ({ core: { ...trueCore, ...parts }, remove: () => undefined })
}

/**
 * Makes the core decide with a changed profile. The records of the decisions name the original profile, with which they are replayed and
 * examined. `changeRaw` changes the recorded raw values.
 */
function spoilProfile(change: (profile: Profile) => Profile, changeRaw = (raw: readonly number[]): readonly number[] => raw): Plant {
  const withRaw = (decided: Decided): Decided => ({
    ...decided,
    record: {
      ...decided.record,
      instances: decided.record.instances.map((instance) => ({
        ...instance,
        best: instance.best.map((host) => ({ ...host, raw: changeRaw(host.raw) })),
      })),
    },
  })
  return spoilCore({
    decide: (fleet, overlay, input) => withRaw(trueCore.decide(fleet, overlay, { ...input, profile: change(input.profile) })),
  })
}

function spoilReason(name: string, change: (reason: Reason, host: HostIndex, fleet: Parameters<Filter['prepare']>[1]) => Reason): Plant {
  return spoilFilter(name, (prepare) => (request, fleet, options) => {
    const prepared = prepare(request, fleet, options)
    return prepared && { passes: (host) => prepared.passes(host), reason: (host) => change(prepared.reason(host), host, fleet) }
  })
}

function spoilPasses(name: string, change: PreparedFilter['passes']): Plant {
  return spoilFilter(name, (prepare) => (request, fleet, options) => {
    const prepared = prepare(request, fleet, options)
    return prepared && { ...prepared, passes: change }
  })
}

/** Changes a filter so that it passes the hosts that it would refuse with this reason code. */
function spoilPassesWhere(name: string, code: string): Plant {
  return spoilFilter(name, (prepare) => (request, fleet, options) => {
    const prepared = prepare(request, fleet, options)
    return prepared && { ...prepared, passes: (host) => prepared.passes(host) || prepared.reason(host).code === code }
  })
}

function spoilRequest(name: string, change: (request: RequestSpec) => RequestSpec): Plant {
  return spoilFilter(name, (prepare) => (request, fleet, options) => prepare(change(request), fleet, options))
}

function spoilFilter(name: string, wrap: (prepare: Filter['prepare']) => Filter['prepare']): Plant {
  return () => spoil(filters, name, wrap)
}

function spoilRaw(name: string, change: (raw: number) => number): Plant {
  return () =>
    spoil<Weigher>(weighers, name, (prepare) => (request, fleet, options, multiplier) => {
      const rawOf = prepare(request, fleet, options, multiplier)
      return (host) => change(rawOf(host))
    })
}

/** Replaces the function of a filter or weigher in these lists. All profiles use these lists, so the change affects all profiles. */
function spoil<Part extends { readonly name: string; prepare: Filter['prepare'] | Weigher['prepare'] }>(
  parts: readonly Part[],
  name: string,
  wrap: (prepare: Part['prepare']) => Part['prepare'],
): Planted {
  const part = parts.find((candidate) => candidate.name === name)
  if (part === undefined) throw new RangeError(`there is no ${name} to spoil`)
  const { prepare } = part
  part.prepare = wrap(prepare.bind(part))
  return {
    core: trueCore,
    remove() {
      part.prepare = prepare
    },
  }
}
