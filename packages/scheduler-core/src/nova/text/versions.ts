import { quote } from '../../text/problem.ts'
import { NovaError } from './nova-error.ts'

/** Converts a hypervisor's version number to text: 7002000 becomes 7.2.0, and 2012 becomes 2.12. 0 becomes the empty text. */
export function hypervisorVersionText(version: number): string {
  if (!Number.isSafeInteger(version) || version < 0)
    throw new NovaError('ValueError', `${version} is not a hypervisor version; expected an integer of 0 or more`)
  const parts: number[] = []
  for (let rest = version; rest !== 0; rest = Math.floor(rest / 1000)) parts.unshift(rest % 1000)
  return parts.join('.')
}

/**
 * Returns true if a version satisfies all conditions of a predicate such as `>=6.0,<8.0`. Each condition is an operator and a version of
 * two or three parts. As in Nova, throws ValueError for an invalid condition or version, and AttributeError for an empty version.
 */
export function versionSatisfies(version: string, predicate: string): boolean {
  const conditions = parseVersionPredicate(predicate)
  for (const [operator, wanted] of conditions) {
    if (version === '') throw new NovaError('AttributeError', 'the hypervisor has no version')
    if (!(tests[operator] as Test)(compareVersions(parseVersion(version), wanted))) return false
  }
  return true
}

/** The conditions of a predicate, in order. Throws ValueError for an invalid predicate. */
export function parseVersionPredicate(predicate: string): readonly (readonly [string, Version])[] {
  return predicate.split(',').map((condition) => {
    const match = /^\s*(<=|>=|<|>|!=|==)\s*([^\s,]+)\s*$/.exec(condition)
    if (match === null) throw new NovaError('ValueError', `${quote(condition)} is not a condition on a version, such as >=6.0`)
    return [match[1] as string, parseVersion(match[2] as string)] as const
  })
}

/** A version. `before` has the letter and the number of a pre-release such as 1.0b2. */
interface Version {
  readonly numbers: readonly [number, number, number]
  readonly before: readonly [string, number] | undefined
}

type Test = (order: number) => boolean

const tests: Readonly<Record<string, Test>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
}

function parseVersion(text: string): Version {
  const match = /^(\d+)\.(\d+)(\.(\d+))?(([ab])(\d+))?$/.exec(text)
  if (match === null) throw new NovaError('ValueError', `${quote(text)} is not a version of two or three parts`)
  const [, major, minor, , patch = '0', , letter, count] = match
  return {
    numbers: [Number(major), Number(minor), Number(patch)],
    before: letter === undefined ? undefined : [letter, Number(count)],
  }
}

function compareVersions(left: Version, right: Version): number {
  for (const i of [0, 1, 2] as const) if (left.numbers[i] !== right.numbers[i]) return left.numbers[i] - right.numbers[i]
  if (left.before === undefined || right.before === undefined) return Number(left.before === undefined) - Number(right.before === undefined)
  return left.before[0] === right.before[0] ? left.before[1] - right.before[1] : left.before[0] < right.before[0] ? -1 : 1
}
