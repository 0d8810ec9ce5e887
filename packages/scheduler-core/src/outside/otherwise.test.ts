import { expect, test } from 'vitest'
import { decideOtherwise } from '../compare/index.ts'
import { questionsOf } from '../decision/questions.ts'
import { replay, replayOtherwise } from '../decision/replay.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { hostKey } from '../hosts/hosts.ts'
import { checkPlugin, joinPlugins } from '../plugin/check-plugin.ts'
import { definePlugin } from '../plugin/index.ts'
import type { DecisionRecord } from '../records/decision.ts'
import { type Profile, type ProfileInput, profileRef, profileSchema } from '../records/profile.ts'
import { type Decided, decide } from '../schedulers/decide.ts'
import { aFleet, aRequest } from '../testing/index.ts'
import { withAnswers } from './answered.ts'
import { checkAnswers } from './check-answers.ts'

/** A plug-in with one filter that runs outside of this process. In these tests, the filter passes every host except the host `refused`. */
const exported = {
  ...definePlugin({ name: 'far', version: '1.0.0', description: 'Of a test.' }),
  filters: [
    {
      ...{ name: 'FarFilter', description: 'Of a test.', reads: [], readsHostOnly: true, outside: { by: 'far@1.0.0' } },
      prepare() {
        throw new Error('expected no call of FarFilter in this process')
      },
    },
  ],
}
const checked = checkPlugin(exported)
const joined = checked.ok ? joinPlugins([checked.value]) : checked
if (!joined.ok) throw new Error(joined.problems.map(({ message }) => message).join())
const plugins = joined.value

const profileWith = (number: number, filters: readonly string[], more: Partial<ProfileInput> = {}): Profile =>
  profileSchema.parse({
    ...{ name: 'site', number, filters: filters.map((name) => ({ name })), weighers: [{ name: 'RAMWeigher', multiplier: 1 }] },
    ...more,
  })
const strict = profileWith(1, ['ComputeFilter', 'TraitsFilter', 'FarFilter'])
const loose = profileWith(2, ['ComputeFilter', 'FarFilter'])
const spreading = profileWith(3, ['ComputeFilter', 'TraitsFilter', 'FarFilter'], { weighers: [{ name: 'RAMWeigher', multiplier: -1 }] })

const request = aRequest({ flavor: { vcpus: 1, memoryMb: 512, extraSpecs: { 'trait:FAST': 'required' } } })

function decideBy(fleet: Fleet, profile: Profile): Decided {
  const answers = questionsOf(fleet, profile, request).map((question) =>
    checkAnswers(
      question,
      question.hosts.map((host) => fleet.hosts.get(host).host !== 'refused'),
    ),
  )
  const overlay = openOverlay(fleet)
  try {
    return decide(fleet, overlay, {
      ...{ id: 'd', request, profile: withAnswers(profile, [{ request, answers }]), seed: 's', attempt: 1 },
      ...{ alternatesPerInstance: 0, allOrNothing: true, claimIds: ['c'] },
    })
  } finally {
    overlay.discard()
  }
}

function aSite(hosts: Parameters<typeof aFleet>[0]): { fleet: Fleet; record: DecisionRecord; goal: readonly string[] } {
  const fleet = aFleet(hosts, plugins)
  for (const profile of [strict, loose, spreading])
    fleet.apply({
      ...{ format: 1, id: profileRef(profile), writer: 't', basis: fleet.place, changes: [{ type: 'profile', profile }] },
      ...{ revision: fleet.place.revision + 1, at: 1_000 },
    })
  const { record, parts } = decideBy(fleet, strict)
  return { fleet, record, goal: parts.map(hostKey) }
}

const fast = { traits: ['FAST'] }

test.each([
  ['no host was in a call', { slow: {} }],
  ['one more host would have to be in a call', { fast, slow: { memoryMb: 1_048_576 } }],
])('another version is not decided with answers about other hosts: %s', (_where, hosts) => {
  const { fleet, record, goal } = aSite(hosts)
  expect(() => decideOtherwise(fleet, [], record, goal, loose)).toThrow(
    new RangeError('for 1 of the hosts to check, the decision has no recorded answer of FarFilter'),
  )
})

test('another profile version decides with the recorded answers, including errors and refusals, if they cover all hosts that it checks', () => {
  const { fleet, record, goal } = aSite({ small: { ...fast, memoryMb: 2_048 }, large: fast, refused: fast })
  expect(goal).toEqual(['large'])
  expect(decideOtherwise(fleet, [], record, goal, spreading)).toMatchObject({ agreement: 'ELSEWHERE', hosts: ['small'] })
  expect(replayOtherwise(fleet, [], record, strict)).toEqual(replay(fleet, [], record))
})
