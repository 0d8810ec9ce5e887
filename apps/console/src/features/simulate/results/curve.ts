import { classUses } from './outcome-rows.ts'

/** The state of a simulation after some of its decisions, as the service reports it. */
export interface CurvePoint {
  readonly asked: number
  readonly placed: number
  readonly usage: readonly { readonly resourceClass: string; readonly capacity: number; readonly used: number }[]
}

export type Curve = readonly CurvePoint[]

/**
 * The resource classes whose usage changes in any curve. The class with the highest usage at the end comes first. If no usage changes, all
 * classes are returned.
 */
export function classesOf(curves: readonly Curve[]): readonly string[] {
  const ends = new Map<string, number>()
  const changed = new Set<string>()
  for (const curve of curves) {
    const [before, after] = [curve[0], curve.at(-1)].map((point) => classUses(point === undefined ? [] : [{ key: '', usage: point.usage }]))
    for (const [name, { capacity, used }] of after ?? []) {
      ends.set(name, Math.max(ends.get(name) ?? 0, used / capacity))
      if (used !== before?.get(name)?.used) changed.add(name)
    }
  }
  return [...ends]
    .filter(([name]) => changed.size === 0 || changed.has(name))
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name)
}

interface Point {
  readonly x: number
  readonly y: number
}

/** A line with the count of placed instances (y) for each count of requested instances (x). */
export const placedLine = (curve: Curve): readonly Point[] => curve.map(({ asked, placed }) => ({ x: asked, y: placed }))

/**
 * A line with the used share of a class in per cent (y) for each count of requested instances (x). Points without capacity are left out.
 */
export const usedLine = (curve: Curve, resourceClass: string): readonly Point[] =>
  curve.flatMap(({ asked, usage }) => {
    const use = usage.find((one) => one.resourceClass === resourceClass)
    return use === undefined || use.capacity === 0 ? [] : [{ x: asked, y: (100 * use.used) / use.capacity }]
  })

/** The state at a count of requested instances: the last point of the curve up to this count. */
export const pointAt = (curve: Curve, asked: number): CurvePoint | undefined => curve.findLast((point) => point.asked <= asked)

/** The largest distance between consecutive points. It is 1 if every count of instances has a point. */
export const spacingOf = (curve: Curve): number => Math.max(0, ...curve.slice(1).map(({ asked }, i) => asked - (curve[i]?.asked ?? asked)))

/** The counts of instances at which any curve has a point, in ascending order. */
export const stepsOf = (curves: readonly Curve[]): readonly number[] =>
  [...new Set(curves.flatMap((curve) => curve.map(({ asked }) => asked)))].sort((a, b) => a - b)
