import { trimBlanks } from '../../text/numbers.ts'
import { quote } from '../../text/problem.ts'
import { NovaError } from './nova-error.ts'
import { pythonInt } from './numbers.ts'

/** A list can contain at most this many CPUs, so that a long range cannot use up all memory. Nova has no limit. */
const MAX_CPUS = 65_536

/**
 * Parses a CPU list such as `1-4,^3,6`. It consists of numbers and ranges. A number after `^` is excluded. The result is in ascending
 * order. Throws Invalid.
 */
export function parseCpuList(text: string): readonly number[] {
  const taken = new Set<number>()
  const refused = new Set<number>()
  for (const rule of text.split(',').map(trimBlanks)) {
    if (rule === '') continue
    const excludes = rule.startsWith('^')
    const [start, end] = boundsOf(excludes ? rule.slice(1) : rule, rule)
    if (end - start + taken.size + refused.size >= MAX_CPUS)
      throw new NovaError('Invalid', `${quote(text)} names more than ${MAX_CPUS} CPUs`)
    for (let cpu = start; cpu <= end; cpu += 1) (excludes ? refused : taken).add(cpu)
  }
  return [...taken].filter((cpu) => !refused.has(cpu)).sort((a, b) => a - b)
}

function boundsOf(range: string, rule: string): readonly [number, number] {
  const dash = range.indexOf('-')
  const [start, end] = dash < 0 ? [range, range] : [range.slice(0, dash), range.slice(dash + 1)]
  const bounds = [wholeNumber(start, rule), wholeNumber(end, rule)] as const
  if (bounds[0] > bounds[1]) throw new NovaError('Invalid', `the range ${quote(rule)} ends before it starts`)
  return bounds
}

function wholeNumber(text: string, rule: string): number {
  try {
    return pythonInt(text)
  } catch (error) {
    if (error instanceof NovaError) throw new NovaError('Invalid', `${quote(rule)} is not a CPU number, range or exclusion`)
    throw error
  }
}
