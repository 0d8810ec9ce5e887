import { type GpuState, WHOLE_GPU } from '../../hosts/gpu-device.ts'
import type { GpuGrant } from '../../records/grants.ts'
import { takeAcross, type Units } from '../claim-count.ts'
import type { UsedBelowClaims } from '../kind.ts'

/**
 * The GPUs of a host, for counting claims on them. If the GPU that a claim names has too little free, the share is counted on another GPU
 * with enough free, preferably one of the same model.
 */
export class GpuUnits implements Units<GpuGrant> {
  readonly gpus: readonly GpuState[]
  /** For each GPU index, the reported usage in thousandths. */
  readonly #used: ReadonlyMap<number, number>
  /** For each GPU index, the thousandths that materialised claims hold on the GPU that they name. */
  readonly #covered: Map<number, number>
  readonly #usedInAll: number
  #coveredInAll: number

  constructor(gpus: readonly GpuState[], used: ReadonlyMap<number, number>, covered: ReadonlyMap<number, number> = new Map()) {
    this.gpus = gpus
    this.#used = used
    this.#covered = new Map(covered)
    this.#usedInAll = sumOf(used)
    this.#coveredInAll = sumOf(covered)
  }

  copy(gpus: readonly GpuState[]): GpuUnits {
    return new GpuUnits(gpus, this.#used, this.#covered)
  }

  /**
   * True if the report counts the use of the GPU with this index. If the host has no GPU with this index: true if the report counts the use
   * of any GPU.
   */
  countsUse(index: number): boolean {
    const gpu = this.#find(index)
    return gpu === undefined ? this.gpus.some(({ countsUse }) => countsUse) : gpu.countsUse
  }

  reset(): void {
    for (const gpu of this.gpus) gpu.freeMilli = WHOLE_GPU - this.#usedOf(gpu)
  }

  cover({ index, milli }: GpuGrant, sign: 1 | -1): void {
    this.#covered.set(index, (this.#covered.get(index) ?? 0) + sign * milli)
    this.#coveredInAll += sign * milli
  }

  isShort(): boolean {
    return this.#coveredInAll > this.#usedInAll
  }

  below(): readonly UsedBelowClaims[] {
    return this.isShort() ? [{ subject: 'GPU thousandths', reported: this.#usedInAll, held: this.#coveredInAll }] : []
  }

  takeShort(): void {
    const take = (gpu: GpuState, milli: number) => {
      gpu.freeMilli -= milli
    }
    const missing = (gpu: GpuState) => Math.min(gpu.freeMilli, (this.#covered.get(gpu.index) ?? 0) - this.#usedOf(gpu))
    const open = takeAcross(this.gpus, this.#coveredInAll - this.#usedInAll, missing, take)
    this.#takeBelow(
      takeAcross(this.gpus, open, ({ freeMilli }) => freeMilli, take),
      undefined,
    )
  }

  fits({ index, milli }: GpuGrant): boolean {
    return (this.#find(index)?.freeMilli ?? -1) >= milli
  }

  take({ index, milli }: GpuGrant, sign: 1 | -1): void {
    const gpu = this.#find(index)
    if (gpu !== undefined) gpu.freeMilli -= sign * milli
  }

  takeElsewhere({ index, milli }: GpuGrant): void {
    const named = this.#find(index)
    const alike = this.gpus.filter(({ model }) => named !== undefined && model === named.model)
    const order = [...alike, ...this.gpus.filter((gpu) => !alike.includes(gpu))]
    const whole = order.find(({ freeMilli }) => freeMilli >= milli)
    if (whole !== undefined) {
      whole.freeMilli -= milli
      return
    }
    const take = (gpu: GpuState, part: number) => {
      gpu.freeMilli -= part
    }
    this.#takeBelow(
      takeAcross(order, milli, ({ freeMilli }) => freeMilli, take),
      named,
    )
  }

  compare(a: GpuGrant, b: GpuGrant): number {
    return b.milli - a.milli || a.index - b.index
  }

  #takeBelow(milli: number, named: GpuState | undefined): void {
    const gpu = named ?? this.gpus[0]
    if (gpu !== undefined) gpu.freeMilli -= milli
  }

  #usedOf({ index }: GpuState): number {
    return this.#used.get(index) ?? 0
  }

  #find(index: number): GpuState | undefined {
    return this.gpus.find((gpu) => gpu.index === index)
  }
}

const sumOf = (amounts: ReadonlyMap<number, number>): number => {
  let sum = 0
  for (const amount of amounts.values()) sum += amount
  return sum
}
