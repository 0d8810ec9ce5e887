import { callKinds } from './calls.ts'
import type { LoadFigures } from './run.ts'
import type { KindFigures } from './tally.ts'

const HEAD = ['', 'calls', 'a second', 'refused', 'p50 ms', 'p99 ms', 'p99.9 ms'] as const
const WIDTHS = [10, 9, 10, 9, 10, 10, 10] as const

/** The figures as lines of at most 80 characters. */
export function linesOf(figures: LoadFigures): readonly string[] {
  const { byKind, placements, placementsPerSecond, fruitless, serviceCpuMs, postgresCpuMs, callersCpuMs, seconds } = figures
  const rows = callKinds.flatMap((kind) => (byKind[kind] === undefined ? [] : [rowOf(kind, byKind[kind])]))
  const { floor, floorCpuMs, hostCpuUs, overFloor, longestPauseMs } = figures
  return [
    lineOf(HEAD),
    ...rows,
    ...(floor === undefined ? [] : [rowOf('floor', floor)]),
    '',
    `${shown(placementsPerSecond, 1)} placements a second (${placements} in ${shown(seconds, 1)} s); ${fruitless} proposals without effect`,
    `processor ms of a call: service ${ms(serviceCpuMs)}, PostgreSQL ${ms(postgresCpuMs)}, callers ${ms(callersCpuMs)}`,
    ...(hostCpuUs === undefined ? [] : [`a reported host costs the service ${shown(hostCpuUs, 1)} us of processor time`]),
    ...(floor === undefined ? [] : [`floor: a plain server uses ${ms(floorCpuMs)} ms for a mutation that does nothing`]),
    ...(overFloor === undefined ? [] : [`a call costs the service ${shown(overFloor, 2)} times the floor`]),
    `longest pause of the service: ${shown(longestPauseMs, 1)} ms of its processor time`,
  ]
}

const rowOf = (name: string, { calls, perSecond, refused, p50Ms, p99Ms, p999Ms }: KindFigures): string =>
  lineOf([name, String(calls), shown(perSecond, 1), String(refused), shown(p50Ms, 2), shown(p99Ms, 2), shown(p999Ms, 2)])

const lineOf = (cells: readonly string[]): string =>
  cells.map((cell, i) => (i === 0 ? cell.padEnd(WIDTHS[0]) : cell.padStart(WIDTHS[i] ?? 0))).join('')

const shown = (value: number, digits: number): string => value.toFixed(digits)

const ms = (value: number | undefined): string => (value === undefined ? 'unknown' : value.toFixed(3))
