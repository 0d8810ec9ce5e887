import { expect, test } from 'vitest'
import { builtInProfiles } from '../../../../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../../../../records/change.ts'
import type { Profile } from '../../../../records/profile.ts'
import { aLog, aReport, aRequest } from '../../../../testing/index.ts'
import type { HostIndex } from '../../../../values/host-index.ts'
import type { Refusal } from '../remedy.ts'
import { respelt } from './spelling.ts'

const nameOf = (number: number): string => `compute-${String(number).padStart(4, '0')}.example.org`

/** Those of the forced hosts for whose names a correction is proposed, in a fleet of 2500 hosts. */
function meantBy(forceHosts: readonly string[]) {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...Array.from({ length: 2_500 }, (_, i) => aReport(nameOf(i)))])
  const { fleet } = log
  const refusal = {
    fleet,
    request: aRequest({ forceHosts: [...forceHosts] }),
    host: 0 as HostIndex,
    profile: builtInProfiles[0] as Profile,
    filter: 'Candidates',
    reason: { code: 'host.not_requested' },
  } as const satisfies Refusal
  return respelt(refusal).map(({ from }) => from)
}

test('of 250 misspelt host names in a fleet of 2500 hosts, only the first 8 are looked up', () => {
  const misspelt = Array.from({ length: 250 }, (_, i) => nameOf(i).replace('.org', '.com'))
  expect(new Set(meantBy(misspelt))).toEqual(new Set(misspelt.slice(0, 8)))
})

test('names that exist do not count for the limit, so a misspelt name after 250 existing names is corrected', () => {
  const there = Array.from({ length: 250 }, (_, i) => nameOf(i))
  expect(meantBy([...there, 'compute-0007.example.com'])).toContain('compute-0007.example.com')
})
