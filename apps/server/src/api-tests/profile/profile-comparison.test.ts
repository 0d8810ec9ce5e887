import { afterAll, beforeAll, expect, test } from 'vitest'
import { documentSize } from '../../services/calls/json-size.ts'
import { codeOf, dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
const decided: Json[] = []

const parts = { filters: [{ name: 'RamFilter' }, { name: 'AvailabilityZoneFilter' }], weighers: [{ name: 'RAMWeigher', multiplier: 1 }] }

beforeAll(async () => {
  api = await startTestService()
  await api.report({ large: { memoryMb: 65_536 }, small: { memoryMb: 16_384 } })
  await dataOf(api, 'mutation ($input: ProfileVersionInput!) { profileVersionCreate(profile: "policy", input: $input) { __typename } }', {
    input: { ...parts, note: 'as it is' },
  })
  const ask = async (memoryMb: number, more: Record<string, unknown> = {}) =>
    decided.push(await placeWith(api, { profile: 'policy' }, { flavor: { vcpus: 1, memoryMb }, ...more }))
  // Two small requests at once, a request that fits only on the large host, a request for a missing zone, and a request that is too large
  // for every host.
  await Promise.all([ask(1_024), ask(1_024)])
  await ask(32_768)
  await ask(1_024, { availabilityZone: 'az9' })
  await ask(99_999)
  // this request of a different profile must not be decided again
  await placeWith(api, {}, { flavor: { vcpus: 1, memoryMb: 64 } })
  // this later change must not have an effect on the comparison
  await dataOf(api, 'mutation { hostSetStatus(hosts: [{ host: "large" }], status: DISABLED, reason: "disk") { __typename } }')
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const COMPARE = `query ($candidate: ProfileCandidateInput!, $baseline: ID = "policy", $sample: Int, $deadline: Duration) {
  compareProfiles(baseline: $baseline, candidate: $candidate, window: "PT1H", sample: $sample, deadline: $deadline) {
    baseline { number } candidateName total sampled leftOut { notDrawn beyondRetention outOfTime notReplayable } agreement elsewhere newFailures newPlacements
    chosenHosts { baselineHostCount candidateHostCount fullness { resourceClass baseline candidate } } cpuRatio p99DeltaMs zones { zone baseline candidate resources { resourceClass baseline candidate } } shadowFilters { filter wouldFail wouldMove failing { decision { id } because } } disagreements { kind baselineHosts candidateHosts because decision { id } } text } }`

const compare = async (candidate: Json, more: Json = {}): Promise<Json> =>
  (await dataOf(api, COMPARE, { candidate, ...more })).compareProfiles
const draft = (changes: Json) => ({ draft: { ...parts, ...changes } })

test('an identical candidate agrees with every decision, including refusals', async () => {
  expect(await compare(draft({}))).toMatchObject({
    baseline: { number: 1 },
    candidateName: 'policy@2',
    total: 5,
    sampled: 5,
    leftOut: { notDrawn: 0, beyondRetention: 0, outOfTime: 0, notReplayable: 0 },
    agreement: 1,
    elsewhere: 0,
    newFailures: 0,
    newPlacements: 0,
    cpuRatio: null,
    p99DeltaMs: null,
    zones: [
      {
        zone: 'nova',
        baseline: 3,
        candidate: 3,
        resources: [
          { resourceClass: 'VCPU', baseline: 3, candidate: 3 },
          { resourceClass: 'MEMORY_MB', baseline: 34_816, candidate: 34_816 },
        ],
      },
    ],
    disagreements: [],
    text: 'policy@2 against policy@1: 5 of 5 requests were decided again: 5 had the same outcome, 0 went to other hosts, 0 were newly placed, 0 newly failed.',
  })
})

test('a candidate that packs selects other hosts, and the answer has the count and fullness of the hosts that each version selected', async () => {
  const found = await compare(draft({ weighers: [{ name: 'RAMWeigher', multiplier: -1 }] }))
  expect(found).toMatchObject({ sampled: 5, elsewhere: 2, newFailures: 0, newPlacements: 0, agreement: 0.6 })
  expect(found.disagreements[0]).toMatchObject({ kind: 'ELSEWHERE', baselineHosts: ['large'], candidateHosts: ['small'] })
  // Before the three placed requests, 0, 1 and 2 of the 64 GiB of the large host were used. The candidate selects the small host for two of
  // the requests. The small host is empty both times, because the placements by the candidate are only simulated.
  const { fullness, ...counts } = found.chosenHosts
  expect(counts).toEqual({ baselineHostCount: 1, candidateHostCount: 2 })
  expect(fullness.find(({ resourceClass }: Json) => resourceClass === 'MEMORY_MB')).toEqual({
    resourceClass: 'MEMORY_MB',
    baseline: (0 + 1 / 64 + 2 / 64) / 3,
    candidate: (0 + 0 + 2 / 64) / 3,
  })
  expect(found.disagreements[0].because).toMatch(/^small has -?\d+(\.\d+)?, large -?\d+(\.\d+)?\.$/)
})

test('new failures are listed first, with the refusing filter, then new placements', async () => {
  const found = await compare(
    draft({
      filters: [{ name: 'RamFilter' }, { name: 'TraitsFilter' }, { name: 'NumInstancesFilter', options: { max_instances_per_host: 1 } }],
    }),
  )
  expect(found.disagreements.map(({ kind }: Json) => kind)).toEqual(['NEW_FAILURE', 'NEW_PLACEMENT', 'ELSEWHERE'])
  const [failure, placement] = found.disagreements
  expect(failure).toMatchObject({ decision: { id: decided[2].decision.id }, baselineHosts: ['large'], candidateHosts: [] })
  expect(failure.because).toMatch(
    /^Of 2 hosts none takes it: 1 with too little memory in total, 1 at their limit of instances\. Nearest is small: /,
  )
  expect(placement).toMatchObject({ decision: { id: decided[3].decision.id }, baselineHosts: [], because: 'It fits on small.' })
  expect(found.text).toContain('1 were newly placed, 1 newly failed')
})

test('filters in shadow mode refuse no host, and each lists the requests that it would have refused', async () => {
  const found = await compare(
    draft({
      filters: [
        { name: 'RamFilter' },
        { name: 'AvailabilityZoneFilter', shadow: true },
        { name: 'TraitsFilter', shadow: true },
        { name: 'IsolatedHostsFilter', options: { isolated_hosts: ['large'], isolated_images: ['i1'] }, shadow: true },
      ],
    }),
  )
  // the request for the missing zone is now placed
  expect(found).toMatchObject({ sampled: 5, newPlacements: 1, newFailures: 0, elsewhere: 0 })
  expect(found.shadowFilters).toEqual([
    {
      filter: 'AvailabilityZoneFilter',
      wouldFail: 1,
      wouldMove: 0,
      failing: [{ decision: { id: decided[3].decision.id }, because: 'There is no host in availability zone az9.' }],
    },
    { filter: 'TraitsFilter', wouldFail: 0, wouldMove: 0, failing: [] },
    {
      filter: 'IsolatedHostsFilter',
      wouldFail: 1,
      wouldMove: 3,
      failing: [
        {
          decision: { id: decided[2].decision.id },
          because: expect.stringMatching(
            /^The only host for requests without an image by isolated_images and isolated_hosts does not take it\. small: /,
          ),
        },
      ],
    },
  ])
  expect(found.text).toContain('IsolatedHostsFilter, in shadow mode, would have failed 1 and moved 3.')
})

test('a smaller sample is drawn, and the answer reports its size', async () => {
  const found = await compare(draft({}), { sample: 2 })
  expect(found).toMatchObject({ total: 5, sampled: 2, leftOut: { notDrawn: 3 } })
  expect(found.text).toContain('Of the other requests, 3 were not sampled.')
})

test('a stored version is compared as a draft is, and nothing is claimed or written', async () => {
  const count = async () =>
    (await dataOf(api, '{ claims(first: 1) { totalCount } decisions(first: 1) { totalCount } fleet { asOf } }')) as Json
  const before = await count()
  expect(await compare({ version: 'best-fit@0' })).toMatchObject({ candidateName: 'best-fit@0', sampled: 5 })
  expect(await count()).toEqual(before)
})

test('a comparison says whether the profile has decisions', async () => {
  expect(await compare({ version: 'best-fit@0' }, { baseline: 'first-fit' })).toMatchObject({
    total: 0,
    agreement: null,
    text: 'best-fit@0 against first-fit@0: the profile decided no request in that time.',
  })
})

test.each<[string, Json, Json, string]>([
  ['an unknown filter', draft({ filters: [{ name: 'NoSuch' }] }), {}, 'there is no filter'],
  ['an invalid document', { draft: [] }, {}, 'an object with the parts of a profile'],
  [
    'a draft with too many values',
    draft({ options: Array.from({ length: documentSize.values + 1 }, () => 0) }),
    {},
    'at most 20000 values',
  ],
  ['an unknown baseline', draft({}), { baseline: 'nobody' }, 'There is no profile'],
  ['a sample that is too large', draft({}), { sample: 20_000 }, '1 to 10000'],
])('a comparison with %s is refused with a message', async (_name, candidate, more, message) => {
  const answer = await api.ask(COMPARE, { candidate, ...more })
  expect([codeOf(answer), answer.text]).toEqual(['GRAPHQL_VALIDATION_FAILED', expect.stringContaining(message)])
})

const UNUSED = `query ($candidate: ProfileCandidateInput!, $baseline: ID = "policy", $last: Int) {
  unusedParts(baseline: $baseline, candidate: $candidate, last: $last) { candidate found decided text parts { kind name isUnused text } } }`
const unused = async (candidate: Json, more: Json = {}): Promise<Json> => (await dataOf(api, UNUSED, { candidate, ...more })).unusedParts
const used = ({ parts: all }: Json): Json =>
  Object.fromEntries(all.map(({ kind, name, isUnused }: Json) => [`${kind} ${name}`, isUnused ? 'unused' : 'used']))

test('parts that changed nothing in the last decisions are listed, with the count of examined decisions', async () => {
  const found = await unused(draft({ filters: [...parts.filters, { name: 'TraitsFilter' }], tieOrder: 'SEEDED', hostSubsetSize: 2 }), {
    last: 50,
  })
  expect(used(found)).toEqual({
    'FILTER RamFilter': 'used',
    'FILTER AvailabilityZoneFilter': 'used',
    'FILTER TraitsFilter': 'unused',
    'WEIGHER RAMWeigher': expect.any(String),
    'SETTING tieOrder': expect.any(String),
    'SETTING hostSubsetSize': expect.any(String),
  })
  expect(found).toMatchObject({ candidate: 'policy@2', found: 5, decided: 5 })
  expect(found.text).toContain('all 5 decisions of policy that are stored (the last 50 were requested)')
})

test('a weigher is listed as unused only if it changed no decision', async () => {
  const weighers = [
    { name: 'RAMWeigher', multiplier: 1 },
    { name: 'IoOpsWeigher', multiplier: -1 },
  ]
  // without RAMWeigher the large host is selected, because it reported first; with a negative multiplier the small host is selected
  expect(used(await unused(draft({ weighers: [{ name: 'RAMWeigher', multiplier: -1 }, weighers[1]] })))).toMatchObject({
    'WEIGHER RAMWeigher': 'used',
    'WEIGHER IoOpsWeigher': 'unused',
  })
})

test('the list of unused parts says whether there are few or no decisions', async () => {
  const one = await unused({ version: 'policy@1' }, { last: 1 })
  // the newest decision is about the request that is too large for all hosts
  expect(one).toMatchObject({ found: 1, decided: 1 })
  expect(used(one)).toEqual({ 'FILTER RamFilter': 'used', 'FILTER AvailabilityZoneFilter': 'unused', 'WEIGHER RAMWeigher': 'unused' })
  const none = await unused({ version: 'best-fit@0' }, { baseline: 'best-fit' })
  expect(none).toMatchObject({ found: 0, decided: 0, text: 'best-fit has decided no request yet, so that unused parts are not known.' })
  const wrong = await api.ask(UNUSED, { candidate: { version: 'policy@1' }, last: 0 })
  expect(codeOf(wrong)).toBe('GRAPHQL_VALIDATION_FAILED')
})
