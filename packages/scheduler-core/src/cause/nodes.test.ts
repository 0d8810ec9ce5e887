import { describe, expect, test } from 'vitest'
import { decideOtherwise } from '../compare/other-version.ts'
import { withProposals } from '../decision/replay.ts'
import { hostKey } from '../hosts/hosts.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import { type Profile, profileRef, profileSchema } from '../records/profile.ts'
import { decide } from '../schedulers/decide.ts'
import { aLog, aReport, aRequest } from '../testing/index.ts'
import { atOnce } from '../values/steps.ts'
import { causeText } from './cause-text.ts'
import { causeIn } from './testing/drawn.ts'

/*
 * The name of a host with several nodes stands for all its nodes. A sentence about one node therefore contains the node's name, even if the
 * node has the same name as the host.
 */

const anyProfile = builtInProfiles.find(({ name }) => name === 'default') as Profile
const byMemory = (number: number, multiplier: number): Profile =>
  profileSchema.parse({
    ...{ name: 'site', number, filters: [{ name: 'RamFilter' }], weighers: [{ name: 'RAMWeigher', multiplier }] },
  })

/** A fleet in which the host `h1` has these nodes. They have more memory than the other hosts. */
function aFleet(nodes: readonly string[]) {
  const log = aLog()
  log.append([
    ...nodes.map((node, i) => ({ ...aReport('h1', { memoryMb: 9_000 - i }), node })),
    aReport('h2', { memoryMb: 1_000 }),
    ...[byMemory(1, 1), byMemory(2, -1)].map((profile) => ({ type: 'profile', profile }) as const),
  ])
  return log.fleet
}

describe.each<[string, readonly string[], string]>([
  ['a host with a second node', ['h1', 'n2'], 'h1/h1'],
  ['a host that is one node', ['h1'], 'h1'],
])('%s', (_name, nodes, address) => {
  test('the cause names the nearest host by its address', () => {
    const text = causeText(causeIn(aFleet(nodes), aRequest({ memoryMb: 9_500 }), anyProfile))
    expect(text).toContain(`Nearest is ${address}: `)
  })

  test('a comparison of versions names the chosen node by its address', () => {
    const fleet = aFleet(nodes)
    const [first, second] = [fleet.profiles.find(profileRef(byMemory(1, 1))), byMemory(2, -1)]
    const { record, parts } = withProposals(fleet, [], (overlay) =>
      decide(fleet, overlay, {
        ...{ id: 'd', seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, claimIds: ['c'] },
        ...{ profile: first as Profile, request: aRequest({ memoryMb: 64 }) },
      }),
    )
    expect(parts.map(hostKey)).toEqual(['h1'])
    const other = decideOtherwise(fleet, [], record, parts.map(hostKey), second)
    expect(other.agreement).toBe('ELSEWHERE')
    expect(atOnce(other.because())).toContain(`, ${address} `)
  })
})
