import { at } from '../../hosts/columns.ts'
import {
  type GpuAsk,
  type GpuState,
  type GpuWish,
  gpuFits,
  gpuShareText,
  isIn,
  modelFits,
  percentText,
  WHOLE_GPU,
} from '../../hosts/gpu-device.ts'
import type { HostRecord, HostTable } from '../../hosts/hosts.ts'
import { leftOf, reportOf } from '../../hosts/sources.ts'
import type { GpuGrant, Grants } from '../../records/grants.ts'
import { demandOf } from '../../request/request-spec.ts'
import { fromRequest, NEAR_CELLS, WITH_SHARE_FREE } from '../../text/evidence.ts'
import type { Reason } from '../../text/reason.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { OWN_UNITS, SHARES_IN_PERCENT, STRICT_CLAIMS } from '../../values/levels.ts'
import { ClaimCount } from '../claim-count.ts'
import { createHostState } from '../host-state.ts'
import type { AssignmentSetting, ResourceKind } from '../kind.ts'
import { ownUnits } from '../mover.ts'
import { createFragmentation } from './fragmentation.ts'
import { keepGpus, sumByGpu } from './keep.ts'
import { gpusElsewhere } from './near.ts'
import { GpuUnits } from './units.ts'

/** Sorts the GPUs of a host by an assignment rule. The first `count` GPUs that fit are chosen. */
type GpuOrder = (gpus: readonly GpuState[], ask: GpuWish) => readonly GpuState[]

const orders: Readonly<Record<string, GpuOrder>> = {
  /** A share is taken from the GPU with the smallest free share that is enough. Whole GPUs are taken in the order of their indexes. */
  fullest: (gpus, ask) => (ask.shareMilli === WHOLE_GPU ? gpus : [...gpus].sort((a, b) => a.freeMilli - b.freeMilli || a.index - b.index)),
  emptiest: (gpus, ask) => (ask.shareMilli === WHOLE_GPU ? gpus : [...gpus].sort((a, b) => b.freeMilli - a.freeMilli || a.index - b.index)),
  first: (gpus) => gpus,
}

const NO_GPUS: readonly GpuState[] = []

/** For each host, the object that counts the claims on its GPUs. Undefined below feature level STRICT_CLAIMS, and without GPUs. */
const counts = createHostState<ClaimCount<GpuGrant, GpuUnits> | undefined>(undefined)

/** The resource kind for whole GPUs and shares of GPUs. A request can list the models that it accepts. */
export const gpuKind: ResourceKind<GpuAsk, readonly GpuGrant[]> = {
  name: 'gpu',
  filter: {
    name: 'GpuFilter',
    description:
      'The host has enough GPUs of the requested models with the requested share free, as near to the NUMA cells of the guest as required.',
    reads: ['gpus'],
  },
  rules: ['fullest', 'emptiest', 'first', 'least-fragmentation'],

  ask({ gpus, ...spec }) {
    if (gpus === null) return undefined
    const { numaPolicy, ...wish } = gpus
    return { ...wish, amounts: demandOf({ gpus, ...spec }).amounts, ...(numaPolicy !== null && { numaPolicy }) }
  },

  // This only checks that enough GPUs are near some NUMA cell of the host. The NUMA kind chooses the cells of the guest, and checks that
  // GPUs are near them.
  canGive(hosts, host, ask) {
    if (ownUnits(this, hosts, host, ask) !== undefined) return true
    const { gpus } = hosts.get(host)
    const cells = ask.numaPolicy === 'required' ? cellsOn(hosts, host) : undefined
    let found = 0
    for (const gpu of gpus) if (gpuFits(gpu, ask) && (cells === undefined || isIn(gpu, cells)) && ++found === ask.count) return true
    return false
  },

  prepareCanGive(hosts, ask) {
    if (ask.numaPolicy === 'required') return (host) => this.canGive(hosts, host, ask)
    const { count, shareMilli, models } = ask
    const { records } = hosts
    const { gpuMostFreeMilli } = hosts.columns
    const anyModel = models.length === 0
    const columnDecides = anyModel && count === 1
    return (host) => {
      if (hosts.mover?.host === host) return this.canGive(hosts, host, ask)
      // The column is checked first: it is faster to read than the GPUs, and most hosts of a busy fleet have no GPU with enough free.
      if (at(gpuMostFreeMilli, host) < shareMilli) return false
      if (columnDecides) return true
      const { gpus } = records[host] as HostRecord
      let found = 0
      for (let g = 0; g < gpus.length; g++) {
        const { freeMilli, model } = gpus[g] as GpuState
        if (freeMilli >= shareMilli && (anyModel || (model !== null && models.includes(model))) && ++found === count) return true
      }
      return false
    }
  },

  createAssign(setting) {
    const choose = createChoose(setting)
    const chooseNear = (hosts: HostTable, host: HostIndex, ask: GpuAsk, others: Grants | undefined) => {
      if (ask.numaPolicy === undefined) return choose(hosts, host, ask)
      const cells = others?.numa?.map(({ cell }) => cell) ?? cellsOn(hosts, host)
      const near = choose(hosts, host, ask, cells)
      return near === undefined && ask.numaPolicy === 'preferred' ? choose(hosts, host, ask) : near
    }
    return (hosts, host, ask, others) =>
      ownUnits(this, hosts, host, ask, others) ??
      chooseNear(hosts, host, ask, others)?.map(({ index }) => ({ index, milli: ask.shareMilli }))
  },

  keep: keepGpus,

  isPartOf(grant, held) {
    const own = sumByGpu(held)
    for (const [index, milli] of sumByGpu(grant)) if (milli > (own.get(index) ?? 0)) return false
    return true
  },

  fits(hosts, host, grant, held) {
    if (hosts.featureLevel >= OWN_UNITS && held !== undefined && this.isPartOf?.(grant, held) === true) return true
    const { gpus } = hosts.get(host)
    const taken = new Map<number, number>()
    for (const { index, milli } of grant) {
      const gpu = gpus.find((device) => device.index === index)
      const sum = (taken.get(index) ?? 0) + milli
      if (gpu === undefined || gpu.freeMilli < sum) return false
      taken.set(index, sum)
    }
    return true
  },

  hold: (hosts, host, grant, materialised) => add(hosts, host, grant, materialised, 1),
  drop: (hosts, host, grant, materialised) => add(hosts, host, grant, materialised, -1),

  lift(hosts, host, grant, materialised) {
    const record = hosts.own(host)
    const count = counts.of(record)
    if (count === undefined) {
      add(hosts, host, grant, false, -1)
      return () => add(hosts, host, grant, false, 1)
    }
    const restore = grant.map((part) => count.lift(part, materialised && count.units.countsUse(part.index)))
    sumUp(hosts, host, record.gpus)
    return () => {
      for (const undo of restore.reverse()) undo()
      sumUp(hosts, host, record.gpus)
    }
  },

  takeInventory(hosts, host, stats) {
    const record = hosts.own(host)
    if (stats.gpus.length === 0) {
      record.gpus = NO_GPUS
      counts.set(record, undefined)
      sumUp(hosts, host, NO_GPUS)
      return
    }
    record.gpus = stats.gpus
      .map(({ index, model, numaNode, usedMilli }) => ({
        ...{ index, model, numaNode, countsUse: usedMilli !== null },
        freeMilli: WHOLE_GPU - (usedMilli ?? 0),
      }))
      .sort((a, b) => a.index - b.index)
    const used = new Map(stats.gpus.map(({ index, usedMilli }) => [index, usedMilli ?? 0]))
    counts.set(record, hosts.featureLevel < STRICT_CLAIMS ? undefined : new ClaimCount(new GpuUnits(record.gpus, used)))
    sumUp(hosts, host, record.gpus)
  },

  copy(from, to) {
    to.gpus = from.gpus.map((gpu) => ({ ...gpu }))
    const count = counts.of(from)
    counts.set(to, count?.copy(count.units.copy(to.gpus)))
  },

  countsUse: (hosts, host) => hosts.get(host).gpus.some(({ countsUse }) => countsUse),

  usedBelowClaims: (hosts, host) => counts.of(hosts.get(host))?.units.below() ?? [],

  capacityBelowClaims(hosts, host, grants) {
    const held = grants.flat().reduce((sum, { milli }) => sum + milli, 0)
    const reported = WHOLE_GPU * hosts.get(host).gpus.length
    return held > reported ? [{ subject: 'GPU thousandths', reported, held }] : []
  },

  reason(hosts, host, ask) {
    const { gpus } = hosts.get(host)
    if (gpus.length === 0) return noGpus(ask)
    // counted without new lists, for performance: for a refused request, this function can be called for all hosts
    let matching = 0
    let fitting = 0
    let freestTooFull = Number.NEGATIVE_INFINITY
    for (const gpu of gpus) {
      if (!modelFits(gpu, ask)) continue
      matching++
      if (gpu.freeMilli >= ask.shareMilli) fitting++
      else freestTooFull = Math.max(freestTooFull, gpu.freeMilli)
    }
    if (matching === 0) return otherModels(gpus, ask)
    if (matching < ask.count)
      return {
        code: 'gpu.count',
        subject: ask.models.length === 0 ? 'GPU' : `GPU of model ${ask.models.join(' or ')}`,
        need: ask.count,
        have: matching,
        unit: 'GPUs',
      }
    if (fitting < ask.count)
      return {
        code: 'gpu.short',
        subject: gpuShareText(ask, hosts.featureLevel),
        need: ask.count,
        have: fitting,
        unit: 'GPUs',
        // for whole GPUs, the number of free GPUs suffices
        ...(ask.shareMilli < WHOLE_GPU &&
          hosts.featureLevel >= SHARES_IN_PERCENT && {
            source: `the freest ${fitting > 0 ? 'other one ' : ''}has ${percentText(Math.max(0, freestTooFull))} free`,
          }),
      }
    const cells = cellsOn(hosts, host)
    const have = gpus.filter((gpu) => gpuFits(gpu, ask) && isIn(gpu, cells)).length
    return { code: 'gpu.numa', subject: 'GPU', need: ask.count, have, unit: 'GPUs', ...gpusElsewhere(hosts, host, ask, cells) }
  },

  havers: (hosts, ask) => ({
    which: ask.models.length === 0 ? 'with GPUs' : `with GPUs of model ${ask.models.join(' or ')}`,
    has: (host) => hosts.get(host).gpus.some((gpu) => modelFits(gpu, ask)),
    lacks(host) {
      const { gpus } = hosts.get(host)
      return gpus.length === 0 ? noGpus(ask) : otherModels(gpus, ask)
    },
  }),

  facts(hosts, host, ask) {
    const { code, subject = 'GPU', need: required, have: actual, unit = 'GPUs' } = this.reason(hosts, host, ask)
    const record = hosts.get(host)
    const from = leftOf(record)
    const asked = { requiredFrom: fromRequest('gpus.models'), actualFrom: reportOf(record) }
    // free amounts come from the report and the claims, so `from` names both as the source
    const terms = record.gpus
      .filter((gpu) => modelFits(gpu, ask))
      .map(({ index, freeMilli }) => ({ name: `GPU ${index} free, thousandths`, value: freeMilli, from }))
    const fitting = record.gpus.filter((gpu) => gpuFits(gpu, ask)).length
    return [
      {
        subject,
        ...(required !== undefined && { required }),
        ...(actual !== undefined && { actual }),
        unit,
        ...(code === 'gpu.count' && { amountOf: 'in total' as const }),
        ...(code === 'gpu.numa' && { amountOf: NEAR_CELLS }),
        requiredFrom: fromRequest(code === 'gpu.model' ? 'gpus.models' : code === 'gpu.numa' ? 'gpus.numaPolicy' : 'gpus.count'),
        actualFrom: code === 'gpu.short' ? from : reportOf(record),
        ...(code === 'gpu.short' && { terms }),
      },
      // a second shortfall: the host has too few GPUs of these models, and some of them are not free
      ...(code === 'gpu.count' && fitting < Number(actual)
        ? [
            {
              ...{ subject, required: ask.count, actual: fitting, unit, requiredFrom: fromRequest('gpus.count'), actualFrom: from, terms },
              ...(ask.shareMilli < WHOLE_GPU && { amountOf: WITH_SHARE_FREE }),
            },
          ]
        : []),
      // a further fact: for the code gpu.model the requested count, for all other codes the requested models
      ...(code === 'gpu.model'
        ? [
            {
              ...asked,
              subject: 'GPU of these models',
              required: ask.count,
              actual: 0,
              unit: 'GPUs',
              requiredFrom: fromRequest('gpus.count'),
            },
          ]
        : ask.models.length > 0
          ? [{ ...asked, subject: 'GPU model', required: ask.models.join(' or '), actual: modelsOf(record.gpus) || 'none' }]
          : []),
    ]
  },
}

/**
 * Chooses GPUs on a host by an assignment rule. With `cells`, only GPUs near these NUMA cells are used. Returns undefined if too few GPUs
 * fit.
 */
export type ChooseGpus = (hosts: HostTable, host: HostIndex, ask: GpuAsk, cells?: readonly number[]) => readonly GpuState[] | undefined

const cellsOn = (hosts: HostTable, host: HostIndex): readonly number[] => hosts.get(host).cells.map(({ id }) => id)

/** Creates the function that chooses GPUs by an assignment rule. Throws RangeError for an unknown rule or invalid options. */
export function createChoose(setting: AssignmentSetting | undefined): ChooseGpus {
  const rule = setting?.rule ?? 'fullest'
  if (rule === 'least-fragmentation') {
    const fragmentation = createFragmentation(setting?.options)
    return (hosts, host, ask, cells) => fragmentation.choose(hosts, host, ask, cells)?.gpus
  }
  const order = Object.hasOwn(orders, rule) ? orders[rule] : undefined
  if (order === undefined)
    throw new RangeError(`the resource kind gpu has no assignment rule ${rule}; it must be one of ${gpuKind.rules.join(', ')}`)
  return (hosts, host, ask, cells) => {
    const chosen = order(hosts.get(host).gpus, ask)
      .filter((gpu) => gpuFits(gpu, ask) && (cells === undefined || isIn(gpu, cells)))
      .slice(0, ask.count)
    return chosen.length === ask.count ? chosen : undefined
  }
}

const modelsOf = (gpus: readonly GpuState[]): string => [...new Set(gpus.map(({ model }) => model ?? 'unnamed'))].join(', ')

function add(hosts: HostTable, host: HostIndex, grant: readonly GpuGrant[], materialised: boolean, sign: 1 | -1): void {
  const record = hosts.own(host)
  const { gpus } = record
  const count = counts.of(record)
  for (const part of grant) {
    if (count !== undefined) {
      const isCounted = materialised && count.units.countsUse(part.index)
      if (sign === 1) count.hold(part, isCounted)
      else count.drop(part, isCounted)
      continue
    }
    const gpu = gpus.find((device) => device.index === part.index)
    if (gpu !== undefined && !(materialised && gpu.countsUse)) gpu.freeMilli -= sign * part.milli
  }
  sumUp(hosts, host, gpus)
}

function sumUp({ columns }: HostTable, host: HostIndex, gpus: readonly GpuState[]): void {
  let sum = 0
  for (const { freeMilli } of gpus) sum += freeMilli
  columns.gpuFreeMilli[host] = sum
  columns.gpuMostFreeMilli[host] = maxFreeOf(gpus)
}

/** The free share of the GPU that has the most free, in thousandths. 0 for a host without GPUs. */
const maxFreeOf = (gpus: readonly GpuState[]): number => {
  let most = gpus[0]?.freeMilli ?? 0
  for (const { freeMilli } of gpus) if (freeMilli > most) most = freeMilli
  return most
}

const noGpus = ({ count }: GpuWish): Reason => ({ code: 'gpu.none', subject: 'GPU', need: count, have: 0, unit: 'GPUs' })

const otherModels = (gpus: readonly GpuState[], { models }: GpuWish): Reason => ({
  code: 'gpu.model',
  subject: 'GPU',
  need: models.join(' or '),
  have: modelsOf(gpus),
  unit: 'model',
})
