import type { NumberBuffers } from '../../values/number-buffers.ts'
import type { Steps } from '../../values/steps.ts'
import { boundsOf, fillNonsense, normalise, type Weighed, type WeighStep } from './run-weighers.ts'

/** The part of the scores that a decision needs. Every array has one element for each element of `hosts`, in the same order. */
export interface TotalScores {
  readonly hosts: Int32Array
  readonly totals: Float64Array
  /** The raw scores of each weigher. */
  readonly raw: readonly Float64Array[]
}

/**
 * Scores the hosts like `runWeighers`, bit for bit, but into arrays of `buffers` and without arrays of normalised scores. The result is
 * valid until the buffers end. Yields after each `slice` of hosts.
 */
export function* totalScores(steps: readonly WeighStep[], hosts: Int32Array, buffers: NumberBuffers, slice: number): Steps<TotalScores> {
  const totals = buffers.take(hosts.length).fill(0)
  const raw: Float64Array[] = []
  for (const step of steps) {
    if (step.hasNoEffect) {
      raw.push(buffers.take(hosts.length).fill(0))
      continue
    }
    const scores = yield* inParts(step.rawOf, hosts, buffers.take(hosts.length), slice)
    raw.push(scores)
    const multipliers = step.multipliersOf && (yield* inParts(step.multipliersOf, hosts, buffers.take(hosts.length), slice))
    add(step, scores, multipliers, totals)
    if (slice < hosts.length) yield
  }
  return { hosts, totals, raw }
}

export const totalScoresOf = ({ hosts, totals, weighers }: Weighed): TotalScores => ({ hosts, totals, raw: weighers.map(({ raw }) => raw) })

/** Writes the scores or multipliers of all hosts into `numbers`. */
function* inParts(numbersOf: WeighStep['rawOf'], hosts: Int32Array, numbers: Float64Array, slice: number): Steps<Float64Array> {
  if (slice >= hosts.length) return numbersOf(hosts, numbers)
  for (let from = 0; from < hosts.length; from += slice) {
    numbersOf(hosts.subarray(from, from + slice), numbers.subarray(from, from + slice))
    yield
  }
  return numbers
}

/**
 * Adds multiplier x normalised score of one weigher to the totals. Scores that are not finite are replaced first. The operations and their
 * order are those of `normalise`.
 */
function add(
  { minval, normalisation, multiplier }: WeighStep,
  raw: Float64Array,
  multipliers: Float64Array | undefined,
  totals: Float64Array,
): void {
  const { min, max } = replaceAndBound(raw, minval)
  if (normalisation === 'minmax') {
    // all normalised scores are 0
    if (max === min) return
    const range = max - min
    if (multipliers === undefined)
      for (let i = 0; i < totals.length; i++) totals[i] = (totals[i] as number) + multiplier * (((raw[i] as number) - min) / range)
    else
      for (let i = 0; i < totals.length; i++)
        totals[i] = (totals[i] as number) + (multipliers[i] as number) * (((raw[i] as number) - min) / range)
    return
  }
  const normalised = normalise(raw, min, max, normalisation)
  for (let i = 0; i < totals.length; i++)
    totals[i] = (totals[i] as number) + (multipliers === undefined ? multiplier : (multipliers[i] as number)) * (normalised[i] as number)
}

/** `fillNonsense` and `boundsOf` in one loop over the scores if all of them are finite, which is the usual case. */
function replaceAndBound(raw: Float64Array, minval: number | undefined): { readonly min: number; readonly max: number } {
  let min = minval ?? Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  let isEachFinite = true
  for (let i = 0; i < raw.length; i++) {
    const value = raw[i] as number
    if (value - value !== 0) isEachFinite = false
    if (value < min) min = value
    if (value > max) max = value
  }
  if (isEachFinite && raw.length > 0) return { min, max }
  fillNonsense(raw)
  return boundsOf(raw, minval)
}
