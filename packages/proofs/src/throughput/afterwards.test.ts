import { expect, test } from 'vitest'
import { createChecks } from '../checks.ts'
import { checkState, type HostAmounts } from './afterwards.ts'

const host = (claimed: number): HostAmounts => ({ name: 'h', capacity: [{ resourceClass: 'VCPU', total: 8, used: 2, claimed }] })

test.each<readonly [string, HostAmounts, readonly string[], readonly string[], readonly RegExp[]]>([
  ['nothing for a state that is right', host(6), ['a', 'b'], ['a', 'b'], []],
  ['a host that has promised too much', host(7), ['a'], ['a'], [/no host has promised more.*1, such as h has promised 9 of 8 VCPU/]],
  ['a claim that was lost', host(0), ['a'], ['a', 'b'], [/every claim that a caller got exists: 1, such as b/]],
  ['a claim that nobody got', host(0), ['a', 'c'], ['a'], [/every claim that exists is one that a caller got: 1, such as c/]],
  ['a claim that is listed twice', host(0), ['a', 'a'], ['a'], [/no claim is listed twice/]],
])('the check after a load finds %s', (_what, found, live, held, expected) => {
  const said: string[] = []
  const checks = createChecks((line) => void said.push(line))
  checkState(checks, [found], live, new Map(held.map((id) => [id, { id, fence: 1 }])))
  const failed = said.filter((line) => line.includes('FAILED'))
  expect(failed).toEqual(expected.map((pattern) => expect.stringMatching(pattern)))
})
