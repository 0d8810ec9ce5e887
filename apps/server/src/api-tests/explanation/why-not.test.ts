import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
let decision: string

beforeAll(async () => {
  api = await startTestService()
  await api.report({
    best: {},
    second: { memoryMb: 32_768, vcpus: 32 },
    worse: { memoryMb: 16_384, vcpus: 8, localGb: 100 },
    full: { memoryMb: 8_192, memoryMbUsed: 8_000, vcpus: 4, vcpusUsed: 4 },
    barred: {},
  })
  const placed = await placeWith(api, { claim: { mode: 'NONE' } }, { ignoreHosts: ['barred'] })
  decision = placed.decision.id
  await api.report({ late: {} })
  await dataOf(api, `mutation { hostSetStatus(hosts: [{ host: "second" }], status: DISABLED, reason: "new memory") { __typename } }`)
  await dataOf(
    api,
    `mutation { aggregateCreate(input: { name: "ssd", hosts: ["second"], metadata: [{ key: "disk", value: "ssd" }] }) { __typename } }`,
  )
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const FIELDS = `headline outcome because wouldPassNow changedSinceNote
  neverConsidered { kind text firstSeenRevision firstSeenAt fields }
  verdict { rank checks { filter status reason facts { subject required actual shortfall unit
    requiredSource { kind ref } actualSource { kind ref report { incarnation sequence at } } terms { name value source { kind claims { count picked ending { claim } } } } } } }
  versusWinner { weigher gap wouldFlipAt }
  nowRefusedBy { filter reason facts { actualSource { kind ref } } }
  changedSince { field before after source { kind ref } }`

async function whyNot(host: string, subject = `decisionId: "${decision}"`): Promise<Json> {
  return (await dataOf(api, `{ whyNot(input: { subject: { ${subject} }, host: { host: "${host}" } }) { ${FIELDS} } }`)).whyNot
}

test.each([
  [
    'the seed selects one of the best hosts',
    { hostSubsetSize: 3 },
    /^(\w+) was among the 3 best: rank (\d) of 3, .*\. The seed selected one of them: (\w+), rank (\d) with .*\.$/,
  ],
  [
    'the seed selects any host',
    { scheduler: 'CHANCE' },
    /^(\w+) passed every filter, and (was not selected): the seed selected (\w+) from the 3 hosts that passed\.$/,
  ],
] as const)('%s: if the host that ranks first was not drawn, the explanation says so', async (_name, how, pattern) => {
  const name = `drawn-${Object.keys(how)[0]?.toLowerCase()}`
  const input = { filters: [{ name: 'RamFilter' }], weighers: [{ name: 'RAMWeigher', multiplier: 1 }], note: 'draws', ...how }
  const create = `mutation ($name: String!, $input: ProfileVersionInput!) { profileVersionCreate(profile: $name, input: $input) { __typename ... on UserError { message } } }`
  await dataOf(api, create, { name, input })
  for (let i = 0; i < 20; i++) {
    const { decision: drawn, destinations } = await placeWith(
      api,
      { claim: { mode: 'NONE' }, profile: name },
      { ignoreHosts: ['barred', 'full', 'late'] },
    )
    const taken = destinations[0].selected.host.name
    if (taken === 'best') continue
    const { headline, because } = await whyNot('best', `decisionId: "${drawn.id}"`)
    expect([because, headline]).toEqual(['LOST', expect.stringMatching(pattern)])
    expect(pattern.exec(headline)?.slice(1, 4)).toEqual(['best', expect.anything(), taken])
    return
  }
  expect.fail('the best was drawn twenty times')
})

test('for a refused host, all failing checks are listed, each amount with its source and computation', async () => {
  const { because, neverConsidered, verdict } = await whyNot('full')
  expect([because, neverConsidered]).toEqual(['REFUSED', null])
  const failing = verdict.checks.filter(({ status }: Json) => status === 'FAIL')
  expect(failing.map(({ filter }: Json) => filter)).toEqual(['RamFilter', 'CoreFilter'])
  expect(failing[0].facts).toEqual([
    {
      subject: 'MEMORY_MB',
      required: '4096',
      actual: '192',
      shortfall: '3904',
      unit: 'MiB',
      requiredSource: { kind: 'request', ref: 'flavor.memoryMb' },
      actualSource: {
        kind: 'report',
        ref: expect.stringMatching(/^sequence 1, \d{4}-.*Z$/),
        report: { incarnation: expect.any(String), sequence: 1, at: expect.any(String) },
      },
      terms: [
        { name: 'total', value: 8_192, source: { kind: 'report', claims: null } },
        { name: 'reserved', value: 0, source: { kind: 'report', claims: null } },
        { name: 'ratio', value: 1, source: { kind: 'report', claims: null } },
        { name: 'used', value: 8_000, source: { kind: 'report', claims: null } },
        { name: 'claimed', value: 0, source: { kind: 'claims', claims: { count: 0, picked: 0, ending: [] } } },
      ],
    },
  ])
})

test('for a host that passed and lost, the gap of each weigher and the multiplier with which it would have won are listed', async () => {
  const { because, outcome, verdict, versusWinner } = await whyNot('second')
  expect([because, outcome]).toEqual(['LOST', 'ALTERNATE'])
  expect(verdict.rank).toBe(2)
  const cpu = versusWinner.find(({ weigher }: Json) => weigher === 'CPUWeigher')
  // the selected host has 1.5 times the memory of `second`, and `second` has 1.5 times the CPUs of the selected host
  expect(cpu.gap).toBeLessThan(0)
  expect(cpu.wouldFlipAt).toBeGreaterThan(1)
  const worst = await whyNot('worse')
  expect(worst.versusWinner.find(({ weigher }: Json) => weigher === 'ServerGroupSoftAffinityWeigher').wouldFlipAt).toBeNull()
})

test('a host wins with the multiplier that was returned, and the present facts are correct', async () => {
  const { versusWinner, wouldPassNow, nowRefusedBy, changedSince, changedSinceNote } = await whyNot('second')
  const { wouldFlipAt } = versusWinner.find(({ weigher }: Json) => weigher === 'CPUWeigher')
  const { explainPlacement } = await dataOf(
    api,
    `{ explainPlacement(input: { subject: { decisionId: "${decision}" } }) { weighing { weighers { name multiplier flipsAbove winnerAbove } } } }`,
  )
  const cpu = explainPlacement.weighing.weighers.find(({ name }: Json) => name === 'CPUWeigher')
  expect(cpu).toEqual({ name: 'CPUWeigher', multiplier: 1, flipsAbove: wouldFlipAt, winnerAbove: 'second' })
  expect(wouldPassNow).toBe(false)
  expect(nowRefusedBy).toEqual([
    { filter: 'ComputeFilter', reason: 'host.disabled', facts: [{ actualSource: { kind: 'status', ref: 'new memory' } }] },
  ])
  expect(changedSinceNote).toBeNull()
  expect(changedSince).toEqual([
    { field: 'status', before: 'ENABLED', after: 'DISABLED', source: { kind: 'status', ref: 'new memory' } },
    { field: 'aggregate ssd', before: null, after: 'member', source: { kind: 'aggregate', ref: expect.any(String) } },
    { field: 'aggregate ssd disk', before: null, after: 'ssd', source: { kind: 'aggregate', ref: 'ssd disk' } },
  ])
})

test('a host that was first seen later was never considered, and the explanation has the revision and time', async () => {
  const { because, outcome, neverConsidered, wouldPassNow, changedSince } = await whyNot('late')
  expect([because, outcome, wouldPassNow]).toEqual(['NEVER_CONSIDERED', 'UNKNOWN', true])
  expect(neverConsidered).toMatchObject({
    kind: 'SEEN_LATER',
    firstSeenRevision: expect.anything(),
    firstSeenAt: expect.any(String),
    fields: [],
  })
  expect(neverConsidered.text).toBe(
    `late was first seen later: at revision ${neverConsidered.firstSeenRevision}, ${neverConsidered.firstSeenAt}.`,
  )
  expect(changedSince[0]).toMatchObject({ field: 'status', before: null, after: 'ENABLED' })
})

test('a host that was never seen, or that the request excludes, was never considered', async () => {
  expect(await whyNot('ghost')).toMatchObject({
    because: 'NEVER_CONSIDERED',
    neverConsidered: { kind: 'NEVER_SEEN', text: 'No host named ghost has ever reported.' },
    wouldPassNow: null,
    nowRefusedBy: [],
    changedSince: [],
  })
  expect(await whyNot('barred')).toMatchObject({
    because: 'NEVER_CONSIDERED',
    outcome: 'FILTERED',
    neverConsidered: { kind: 'EXCLUDED', text: 'The request excludes barred by ignoreHosts.', fields: ['ignoreHosts'] },
    wouldPassNow: false,
  })
  const forced = 'spec: { gantt: { flavor: { vcpus: 1, memoryMb: 1 }, forceHosts: ["best"] } }'
  expect((await whyNot('worse', forced)).neverConsidered).toMatchObject({ kind: 'EXCLUDED', fields: ['forceHosts'] })
})

test('the explanation of the selected host says that it was selected', async () => {
  expect(await whyNot('best')).toMatchObject({ because: 'SELECTED', outcome: 'SELECTED', changedSince: [] })
})

test('if filters stop at the first refusal, a host has only one refusal, and sole rejections are unknown', async () => {
  const ask = (arguments_: string) =>
    dataOf(
      api,
      `{ decision(id: "${decision}") { explanation${arguments_} { steps { entered passed soleRejections } verdicts(filter: { hosts: [{ host: "full" }] }) { nodes { checks { status } } } } } }`,
    )
  const [whole, short] = [await ask(''), await ask('(shortCircuit: true)')].map(({ decision: { explanation } }) => explanation)
  const failing = ({ verdicts }: Json) => verdicts.nodes[0].checks.filter(({ status }: Json) => status === 'FAIL').length
  expect([failing(whole), failing(short)]).toEqual([2, 1])
  const counts = ({ steps }: Json) => steps.map(({ entered, passed }: Json) => [entered, passed])
  expect(counts(short)).toEqual(counts(whole))
  expect(new Set(short.steps.map(({ soleRejections }: Json) => soleRejections))).toEqual(new Set([null]))
})

test.each(['explainPlacement', 'whyNot'])('%s at a future revision is refused with a message', async (query) => {
  const host = query === 'whyNot' ? ', host: { host: "best" }' : ''
  const { errors } = await api.ask(`{ ${query}(input: { subject: { decisionId: "${decision}" }, at: 999999${host} }) { __typename } }`)
  expect(errors[0]).toMatchObject({
    message: 'input.at is 999999; it must be a revision that the log still contains',
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED', path: ['input', 'at'] },
  })
})

test('an empty id is refused instead of being looked up', async () => {
  const { errors } = await api.ask('{ explainPlacement(input: { subject: { decisionId: "" } }) { __typename } }')
  expect(errors[0]?.message).toBe('input.subject.decisionId is ""; it must be the global id of a Decision')
})

test('for a host with several nodes, the selected node is explained or, if none was selected, the node with the best rank', async () => {
  const incarnation = randomUUID()
  const full = { vcpus: 8, vcpusUsed: 0, memoryMb: 8_192, memoryMbUsed: 0, localGb: 100, localGbUsed: 0 }
  const updates = Object.entries({ 'n-1': { vcpusUsed: 8 }, 'n-2': { memoryMbUsed: 2_048 }, 'n-3': {} }).map(([node, more]) => ({
    name: { host: 'iron', node },
    reporter: { incarnation, sequence: 1 },
    report: { full: { ...full, ...more } },
  }))
  await dataOf(api, 'mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { appliedCount } }', {
    u: updates,
  })
  const placed = await placeWith(api, { claim: { mode: 'NONE' } }, { forceHosts: ['iron'] })
  const asked = await whyNot('iron', `decisionId: "${placed.decision.id}"`)
  expect([asked.because, asked.headline]).toEqual([
    'SELECTED',
    'iron/n-3 was selected: the best of 2 hosts that passed every filter, of 9.',
  ])
  const two = await placeWith(api, { claim: { mode: 'NONE' } }, { forceHosts: ['iron'], ignoreHosts: ['iron'] })
  expect((await whyNot('iron', `decisionId: "${two.decision.id}"`)).headline).toMatch(/^iron\/n-1 was refused by Candidates/)
  const without = `spec: { gantt: { flavor: { vcpus: 2, memoryMb: 4096 }, forceNodes: ["n-1", "n-2"] } }`
  expect(await whyNot('iron', without)).toMatchObject({ because: 'SELECTED', headline: expect.stringMatching(/^iron\/n-2 /) })
})

test.each([
  [
    'the solver arranged all instances',
    'default-solver',
    { numInstances: 2, flavor: { vcpus: 2, memoryMb: 64 }, gang: [{ instances: 1, flavor: { vcpus: 8, memoryMb: 64 } }] },
    /^(\S+) passed every filter, and was not selected for this instance: of the 2 hosts that passed, the best arrangement of all instances, which the solver found, puts it on (\S+)\.$/,
  ],
  [
    'the server group asks for one host',
    'default',
    { numInstances: 3, flavor: { vcpus: 3, memoryMb: 64 }, instanceGroup: { uuid: randomUUID(), policy: 'AFFINITY' } },
    /^(\S+) passed every filter for one instance, and was not selected: the 3 instances of the request go to one host, because their server group requires it, and (\S+) is the best that holds all of them\.$/,
  ],
] as const)('%s: the headline explains why the host that ranks first was not chosen', async (_name, profile, asked, pattern) => {
  const [best, other] = [`first-${profile}`, `other-${profile}`]
  await api.report({ [best]: { vcpus: 8, memoryMb: 900_000 }, [other]: { vcpus: 10, memoryMb: 4_096 } })
  if (profile === 'default-solver') await api.report({ [other]: { vcpus: 2, memoryMb: 4_096 } })
  const { decision: made, destinations } = await placeWith(
    api,
    { claim: { mode: 'NONE' }, profile },
    { ...asked, forceHosts: [best, other] },
  )
  expect(destinations[0].selected.host.name).toBe(other)
  const { headline, because, verdict } = await whyNot(best, `decisionId: "${made.id}"`)
  expect([because, verdict.rank, headline]).toEqual(['LOST', 1, expect.stringMatching(pattern)])
  expect(pattern.exec(headline)?.slice(1)).toEqual([best, other])
})

test('the present verdicts are those of the explained instance, and the earlier instances of the request hold their resources', async () => {
  await api.report({ 'gang-a': { vcpus: 10, memoryMb: 4_096 } })
  const large = { instances: 1, flavor: { vcpus: 8, memoryMb: 64 } }
  const gang = { numInstances: 2, flavor: { vcpus: 2, memoryMb: 64 }, gang: [large], forceHosts: ['gang-a'] }
  const { decision: made } = await placeWith(api, { claim: { mode: 'NONE' } }, gang)
  const nowOf = async (instance: number): Promise<unknown> => {
    const input = `subject: { decisionId: "${made.id}" }, host: { host: "gang-a" }, instanceIndex: ${instance}`
    const { wouldPassNow, nowRefusedBy } = (await dataOf(api, `{ whyNot(input: { ${input} }) { ${FIELDS} } }`)).whyNot
    return [wouldPassNow, nowRefusedBy.map(({ filter }: Json) => filter)]
  }
  expect(await Promise.all([nowOf(0), nowOf(1)])).toEqual([
    [true, []],
    [true, []],
  ])
  await api.report({ 'gang-a': { vcpus: 9, memoryMb: 4_096 } })
  expect(await Promise.all([nowOf(0), nowOf(1)])).toEqual([
    [true, []],
    [false, ['CoreFilter']],
  ])
})

describe('whyNot for hosts that left the fleet', () => {
  const leave = (call: string) => dataOf(api, `mutation { ${call} { __typename ... on UserError { message } } }`)
  const NOW = 'spec: { gantt: { flavor: { vcpus: 1, memoryMb: 64 } } }'
  const named = (host: string) => `spec: { gantt: { forceHosts: ["${host}"], flavor: { vcpus: 1, memoryMb: 64 } } }`

  test('whyNot says that a forgotten host was forgotten, not that it has no memory or that the request excludes it', async () => {
    await api.report({ scrapped: {} })
    const { decision: before } = await placeWith(api, { claim: { mode: 'NONE' } }, { forceHosts: ['scrapped'] })
    await leave('hostForget(hosts: [{ host: "scrapped" }], reason: "burnt")')
    for (const subject of [NOW, named('scrapped')]) {
      const { because, outcome, headline, neverConsidered, wouldPassNow, verdict } = await whyNot('scrapped', subject)
      expect([because, outcome, wouldPassNow, verdict.checks]).toEqual(['NEVER_CONSIDERED', 'UNKNOWN', null, []])
      expect(neverConsidered).toMatchObject({ kind: 'FORGOTTEN', text: expect.stringMatching(/^scrapped was forgotten at 20.*: burnt\.$/) })
      expect(headline).toMatch(/^scrapped was not in the fleet at revision \d+\. scrapped was forgotten at 20.*: burnt\.$/)
    }
    expect((await whyNot('scrapped', `decisionId: "${before.id}"`)).because).toBe('SELECTED')
    await leave('hostReadmit(host: { host: "scrapped" }, reason: "repaired")')
    expect((await whyNot('scrapped', NOW)).headline).toContain('It was readmitted, and had not reported since.')
  })

  test.each(['after', 'before'])('a host whose new name reported %s the old one is explained as the present host', async (when) => {
    const [old, next] = [`old-${when}`, `new-${when}`]
    for (const name of when === 'after' ? [old, next] : [next, old]) await api.report({ [name]: {} })
    await leave(`hostReplace(host: { host: "${old}" }, by: { host: "${next}" }, reason: "renamed")`)
    for (const host of [old, next]) {
      expect(await whyNot(host, named(next))).toMatchObject({
        because: 'SELECTED',
        headline: expect.stringContaining(`${next} was selected`),
      })
    }
    const { versusWinner } = await whyNot(
      'late',
      `spec: { gantt: { forceHosts: ["${next}", "late"], flavor: { vcpus: 1, memoryMb: 64 } } }`,
    )
    expect(versusWinner.length).toBeGreaterThan(0)
  })
})

test('for a host with several nodes, the sentences name the node', async () => {
  const full = { vcpus: 2, vcpusUsed: 0, memoryMb: 4_096, memoryMbUsed: 4_000, localGb: 100, localGbUsed: 0 }
  const updates = ['drv', 'n2'].map((node) => ({
    name: { host: 'drv', node },
    reporter: { incarnation: randomUUID(), sequence: 1 },
    report: { full },
  }))
  const report = 'mutation ($updates: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $updates }) { appliedCount } }'
  expect((await dataOf(api, report, { updates })).updateResourceStats.appliedCount).toBe(2)
  const placed = await placeWith(api, { claim: { mode: 'NONE' } }, { ignoreHosts: ['barred'] })
  const { headline } = await whyNot('drv', `decisionId: "${placed.decision.id}"`)
  expect(headline).toMatch(/^drv\/drv was refused by \w+\. /)
})
