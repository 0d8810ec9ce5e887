import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService

beforeAll(async () => {
  api = await startTestService()
  await api.report({ large: { memoryMb: 65_536 }, small: { memoryMb: 16_384 } })
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const END =
  '__typename ... on ProfilePayload { dryRun version { number state } profile { active { number } rollout { mode percent candidate { number } } } } ... on ValidationError { code message issues { path rule } } ... on UserError { message }'

const create = async (name: string, multiplier: number): Promise<number> => {
  const input = { filters: [{ name: 'RamFilter' }], weighers: [{ name: 'RAMWeigher', multiplier }], note: `times ${multiplier}` }
  const { profileVersionCreate } = await dataOf(
    api,
    'mutation ($name: String!, $input: ProfileVersionInput!) { profileVersionCreate(profile: $name, input: $input) { ... on ProfilePayload { version { number } } } }',
    { name, input },
  )
  return profileVersionCreate.version.number
}
const activate = async (version: string, rollout: Json = null, dryRun = false): Promise<Json> =>
  (
    await dataOf(
      api,
      `mutation ($version: ID!, $rollout: RolloutInput, $dryRun: Boolean) { profileActivate(version: $version, rollout: $rollout, dryRun: $dryRun) { ${END} } }`,
      { version, rollout, dryRun },
    )
  ).profileActivate
const rollBack = async (profile: string, reason = 'it packs'): Promise<Json> =>
  (
    await dataOf(api, `mutation ($profile: String!, $reason: String!) { profileRollback(profile: $profile, reason: $reason) { ${END} } }`, {
      profile,
      reason,
    })
  ).profileRollback
const statesOf = async (name: string): Promise<string[]> => {
  const { profile } = await dataOf(api, 'query ($name: String!) { profile(name: $name) { versions { nodes { number state } } } }', { name })
  return profile.versions.nodes.map(({ number, state }: Json) => `${number} ${state}`)
}
const hostOf = (answer: Json) => answer.destinations[0].selected.host.name

test('a version can be put into a rollout, activated and rolled back', async () => {
  for (const multiplier of [1, -1, 2]) await create('site', multiplier)
  expect(await statesOf('site')).toEqual(['1 ACTIVE', '2 DRAFT', '3 DRAFT'])
  expect(await activate('site@2', { mode: 'SHADOW' }, true)).toMatchObject({ dryRun: true, profile: { rollout: null } })
  expect(await activate('site@2', { mode: 'SHADOW' })).toMatchObject({
    version: { number: 2, state: 'SHADOW' },
    profile: { active: { number: 1 }, rollout: { mode: 'SHADOW', percent: 100, candidate: { number: 2 } } },
  })
  expect(await activate('site@2', { mode: 'CANARY', percent: 12.5 })).toMatchObject({
    profile: { rollout: { mode: 'CANARY', percent: 12.5 } },
  })
  expect(await statesOf('site')).toEqual(['1 ACTIVE', '2 CANARY', '3 DRAFT'])
  expect(await activate('site@2')).toMatchObject({ version: { state: 'ACTIVE' }, profile: { active: { number: 2 }, rollout: null } })
  expect(await activate('site@3', { mode: 'CANARY', percent: 5 })).toMatchObject({ version: { state: 'CANARY' } })
  // the first rollback ends the rollout, and the second rollback activates the earlier version
  expect(await rollBack('site')).toMatchObject({
    version: { number: 3, state: 'ROLLED_BACK' },
    profile: { active: { number: 2 }, rollout: null },
  })
  expect(await rollBack('site')).toMatchObject({ version: { number: 1, state: 'ACTIVE' }, profile: { active: { number: 1 } } })
  expect(await statesOf('site')).toEqual(['1 ACTIVE', '2 ROLLED_BACK', '3 ROLLED_BACK'])
  expect(await rollBack('site')).toMatchObject({ __typename: 'ValidationError', code: 'PRECONDITION' })
})

test('a canary also decides every repetition of a call that it decided, each decision names its version, and the canary decides no call that names another version', async () => {
  await create('canary', 1)
  await create('canary', -1)
  await activate('canary@2', { mode: 'CANARY', percent: 50 })
  const keys = Array.from({ length: 24 }, () => randomUUID())
  const ask = async (idempotencyKey: string, profile: string) =>
    placeWith(api, { idempotencyKey, profile, claim: { mode: 'NONE' } }, { flavor: { vcpus: 1, memoryMb: 64 } })
  const hosts = []
  for (const key of keys) {
    const answer = await ask(key, 'canary')
    const { decision } = await dataOf(api, 'query ($id: ID!) { decision(id: $id) { profile { number } explanation { fidelity } } }', {
      id: answer.decision.id,
    })
    expect(decision).toEqual({ profile: { number: hostOf(answer) === 'small' ? 2 : 1 }, explanation: { fidelity: 'REPLAYED' } })
    hosts.push(hostOf(answer))
  }
  expect(new Set(hosts)).toEqual(new Set(['large', 'small']))
  for (const [i, key] of keys.slice(0, 4).entries()) expect(hostOf(await ask(key, 'canary'))).toBe(hosts[i])
  // when the percentage grows, the canary still decides the calls that it decided before
  await activate('canary@2', { mode: 'CANARY', percent: 100 })
  expect(hostOf(await ask(keys[0] as string, 'canary'))).toBe('small')
  expect(hostOf(await ask(keys[0] as string, 'canary@1'))).toBe('large')
})

test.each<[string, string, Json, string]>([
  ['the active version', 'default@0', { mode: 'SHADOW' }, 'be another version than the active one'],
  ['a canary without a percentage', 'best-fit@0', { mode: 'CANARY' }, 'more than 0'],
  ['more than 100 percent', 'best-fit@0', { mode: 'CANARY', percent: 101 }, '0.01 to 100'],
  ['more than two decimals', 'best-fit@0', { mode: 'CANARY', percent: 0.015 }, 'two decimals'],
])('a rollout with %s is refused', async (_name, version, rollout, message) => {
  expect(await activate(version, rollout)).toMatchObject({ __typename: 'ValidationError', message: expect.stringContaining(message) })
})

test('the differences between two versions are listed part by part', async () => {
  await create('diff', 1)
  await create('diff', 3)
  const { profile } = await dataOf(
    api,
    '{ profile(name: "diff") { versions { nodes { diff { field before after } own: diff(against: "diff@2") { field } } } } }',
  )
  expect(profile.versions.nodes).toEqual([
    { diff: [], own: [{ field: 'weighers.RAMWeigher.multiplier' }] },
    { diff: [{ field: 'weighers.RAMWeigher.multiplier', before: '1', after: '3' }], own: [] },
  ])
})

test('a filter in shadow mode refuses no host, and the explanation lists the hosts that it would refuse', async () => {
  const input = {
    filters: [{ name: 'RamFilter' }, { name: 'TraitsFilter', shadow: true }],
    weighers: [{ name: 'RAMWeigher', multiplier: 1 }],
    note: 'looks at traits',
  }
  const created = await dataOf(
    api,
    `mutation ($input: ProfileVersionInput!) { profileVersionCreate(profile: "looking", input: $input) { ... on ProfilePayload { version { filters { name shadow } } } } }`,
    { input },
  )
  expect(created.profileVersionCreate.version.filters).toEqual([
    { name: 'RamFilter', shadow: false },
    { name: 'TraitsFilter', shadow: true },
  ])
  const flavor = { vcpus: 1, memoryMb: 64, extraSpecs: [{ key: 'trait:HW_A', value: 'required' }] }
  const answer = await placeWith(api, { profile: 'looking', claim: { mode: 'NONE' } }, { flavor })
  const { decision } = await dataOf(
    api,
    'query ($id: ID!) { decision(id: $id) { outcome explanation { steps { name } shadowSteps { name isAsked wouldReject ofThosePassing reasons { code hosts } } } } }',
    { id: answer.decision.id },
  )
  expect(decision).toMatchObject({
    outcome: 'PLACED',
    explanation: {
      shadowSteps: [
        { name: 'TraitsFilter', isAsked: true, wouldReject: 2, ofThosePassing: 2, reasons: [{ code: 'trait.missing', hosts: 2 }] },
      ],
    },
  })
  expect(JSON.stringify(decision.explanation.steps)).not.toContain('TraitsFilter')
})

test('the audit shows of which profile a version was rolled back, and why', async () => {
  const { auditLog } = await dataOf(api, '{ auditLog(first: 50) { nodes { summary } } }')
  const found = auditLog.nodes.find(({ summary }: Json) => summary.includes('it packs'))
  expect(found.summary).toContain('"profile":"site"')
})

test('rollbacks of a profile that never had a rollout activate its earlier versions one after the other', async () => {
  for (const multiplier of [1, 2, 3]) await create('plain', multiplier)
  for (const number of [2, 3]) await activate(`plain@${number}`)
  for (const number of [2, 1]) expect(await rollBack('plain')).toMatchObject({ profile: { active: { number } } })
})

test('an activation or rollback that was planned for an earlier state of the profile is refused with a conflict', async () => {
  for (const multiplier of [1, -1, 2]) await create('planned', multiplier)
  const standingOf = async (): Promise<string> => (await dataOf(api, '{ profile(name: "planned") { standing } }')).profile.standing
  const step = (call: string, ifStanding: string): Promise<Json> =>
    dataOf(api, `mutation ($ifStanding: String) { step: ${call} { ${END} } }`, { ifStanding }).then(({ step: end }) => end)
  const seen = await standingOf()
  expect(await step('profileActivate(version: "planned@2", dryRun: true, ifStanding: $ifStanding)', seen)).toMatchObject({ dryRun: true })
  expect(await standingOf()).toBe(seen)
  expect(await step('profileActivate(version: "planned@2", ifStanding: $ifStanding)', seen)).toMatchObject({ version: { state: 'ACTIVE' } })
  for (const call of ['profileActivate(version: "planned@3"', 'profileRollback(profile: "planned", reason: "slow"'])
    expect(await step(`${call}, ifStanding: $ifStanding)`, seen)).toMatchObject({ code: 'CONFLICT', issues: [{ path: ['ifStanding'] }] })
  expect(await statesOf('planned')).toEqual(['1 RETIRED', '2 ACTIVE', '3 DRAFT'])
  // if two operators end the same rollout, the second call does not roll back the active version
  await activate('planned@3', { mode: 'CANARY', percent: 5 })
  const both = await standingOf()
  const back = () => step('profileRollback(profile: "planned", reason: "slow", ifStanding: $ifStanding)', both)
  const ends = await Promise.all([back(), back()])
  expect(ends.map(({ __typename }) => __typename).sort()).toEqual(['ProfilePayload', 'ValidationError'])
  expect(await statesOf('planned')).toEqual(['1 RETIRED', '2 ACTIVE', '3 ROLLED_BACK'])
})
