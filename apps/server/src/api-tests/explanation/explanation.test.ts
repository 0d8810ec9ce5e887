import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataOf, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
let failed: string
let placed: string

beforeAll(async () => {
  api = await startTestService()
  await api.report({
    small: { memoryMb: 8_192 },
    middle: { memoryMb: 24_576 },
    busy: { memoryMb: 65_536, memoryMbUsed: 60_000, vcpusUsed: 16 },
    shut: { memoryMb: 131_072 },
  })
  await dataOf(api, `mutation { hostSetStatus(hosts: [{ host: "shut" }], status: DISABLED, reason: "<b> | disk") { __typename } }`)
  failed = (await placeWith(api, {}, { flavor: { name: 'giant', vcpus: 4, memoryMb: 32_768 } })).decision.id
  placed = (await placeWith(api, {}, { flavor: { name: 'small', vcpus: 2, memoryMb: 4_096 } })).decision.id
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const bytes = (packed: string): number[] => [...Buffer.from(packed, 'base64')]
const doubles = (packed: string): number[] => [...new Float64Array(Uint8Array.from(Buffer.from(packed, 'base64')).buffer)]
const words = (packed: string): number[] => [...new Uint32Array(Uint8Array.from(Buffer.from(packed, 'base64')).buffer)]

async function explain(id: string, fields: string) {
  const { decision } = await dataOf(
    api,
    `query ($id: ID!) { decision(id: $id) { hostCount funnel { filter entered passed errors } explanation { ${fields} } } }`,
    { id },
  )
  return { ...decision, ...decision.explanation }
}

test('a headline has the count of admitted hosts, the reasons why they refused, and the nearest host', async () => {
  const { headline } = await explain(failed, 'headline')
  expect(headline).toBe(
    'Of 4 hosts none takes it, some for several reasons: 2 with too little memory in total, 1 with too few vCPUs left, 1 with too little memory left, and 1 more reason. Nearest is busy: 4 vCPUs needed, 0 free. Memory: 32768 MiB needed, 5536 free.',
  )
  expect((await explain(placed, 'headline')).headline).toMatch(/^(small|middle) was selected: the best of 2 hosts that passed, of 4\.$/)
})

test('the matrix agrees with the steps, the verdicts and the funnel in the record', async () => {
  const { matrix, steps, hostCount, funnel } = await explain(
    failed,
    'matrix { hostCount hostNames filters firstFailing reason reasonCodes bits rank distance } steps { name entered passed rejected soleRejections reasons { code hosts } }',
  )
  const { filters, hostNames, reasonCodes } = matrix
  expect(hostNames).toEqual(['small', 'middle', 'busy', 'shut'])
  expect(filters).toEqual(steps.map(({ name }: { name: string }) => name))
  expect(bytes(matrix.firstFailing).map((f) => filters[f])).toEqual(['RamFilter', 'RamFilter', 'RamFilter', 'ComputeFilter'])
  expect(bytes(matrix.reason).map((code) => reasonCodes[code])).toEqual([
    'memory.too_little',
    'memory.too_little',
    'memory.short',
    'host.disabled',
  ])
  const size = Math.ceil(filters.length / 8)
  const bits = bytes(matrix.bits)
  const refusing = (host: number) => filters.filter((_: string, f: number) => ((bits[host * size + (f >> 3)] ?? 0) >> (f & 7)) & 1)
  expect([0, 1, 2, 3].map(refusing)).toEqual([['RamFilter'], ['RamFilter'], ['RamFilter', 'CoreFilter'], ['ComputeFilter']])
  expect(words(matrix.rank)).toEqual([0, 0, 0, 0])
  expect(doubles(matrix.distance)[1]).toBe(0.25)
  expect(steps.find(({ name }: { name: string }) => name === 'RamFilter')).toMatchObject({
    entered: 3,
    passed: 0,
    rejected: 3,
    soleRejections: 2,
  })
  expect(hostCount).toBe(4)
  expect(funnel[0]).toEqual({ filter: 'ComputeFilter', entered: 4, passed: 3, errors: 0 })
  expect(funnel.at(-1).passed).toBe(0)
})

describe('the verdicts of an explanation', () => {
  const list = async (filter: string, order = 'NAME') => {
    const { verdicts } = await explain(
      failed,
      `verdicts(filter: { ${filter} }, orderBy: ${order}) { totalCount nodes { hostName distance } }`,
    )
    expect(verdicts.totalCount).toBe(verdicts.nodes.length)
    return verdicts.nodes.map(({ hostName }: { hostName: string }) => hostName)
  }

  test.each([
    ['rejectedBy: ["RamFilter"]', ['busy', 'middle', 'small']],
    ['reason: ["host.disabled"]', ['shut']],
    ['refusedBy: ["RamFilter", "CoreFilter"]', ['busy']],
    ['refusedBy: ["NoSuchFilter"]', []],
    ['hosts: [{ host: "busy" }, { host: "nobody" }]', ['busy']],
    ['query: "s*"', []],
    ['query: "host:s*"', ['shut', 'small']],
    ['query: "s -host:busy"', ['shut', 'small']],
    ['outcome: [SELECTED]', []],
  ])('%s', async (filter, names) => expect(await list(filter)).toEqual(names))

  test('an unknown reason code is refused', async () => {
    const asked = 'query ($id: ID!) { decision(id: $id) { explanation { verdicts(filter: { reason: ["host.disbled"] }) { totalCount } } } }'
    expect((await api.ask(asked, { id: failed })).text).toContain('no reason has the code host.disbled; similar codes are host.disabled')
  })

  test('verdicts sorted by distance have the nearest host first', async () =>
    expect(await list('', 'DISTANCE')).toEqual(['middle', 'small', 'shut', 'busy']))

  test('near misses are refused hosts: the nearest host of the cause, then the others by distance', async () => {
    const { nearMisses } = await explain(failed, 'nearMisses(first: 2) { hostName distance checks { status facts { shortfall } } }')
    expect(nearMisses.map(({ hostName, distance }: { hostName: string; distance: number }) => [hostName, distance])).toEqual([
      ['busy', 1.001],
      ['middle', 0.25],
    ])
  })

  test('a near miss lists all its shortfalls in the sentences of the cause, and the reasons begin with the code of the cause', async () => {
    const { nearMisses, reasons, cause, headline } = await explain(
      failed,
      'headline nearMisses(first: 2) { lacks } reasons { code hosts } cause { code }',
    )
    expect(headline).toContain('Nearest is busy: 4 vCPUs needed, 0 free. Memory: 32768 MiB needed, 5536 free.')
    expect(nearMisses.map(({ lacks }: { lacks: string }) => lacks)).toEqual([
      'Memory: 32768 MiB needed, 5536 free. 4 vCPUs needed, 0 free.',
      'Memory: 32768 MiB needed by one instance; the host has 24576 MiB in total.',
    ])
    expect(reasons[0].code).toBe(cause.code)
    expect(reasons.reduce((sum: number, { hosts }: { hosts: number }) => sum + hosts, 0)).toBe(4)
  })
})

describe('the explanation as a page for a ticket', () => {
  test('the page of a refusal has the sentence, the funnel and the near misses', async () => {
    const { text } = await explain(failed, 'text(format: MARKDOWN)')
    expect(text.split('\n\n').map((section: string) => section.split('\n'))).toEqual([
      ['## 0 of 4 hosts passed'],
      [
        expect.stringMatching(
          /^Of 4 hosts none takes it, some for several reasons: .* Nearest is busy: 4 vCPUs needed, 0 free\. Memory: 32768 MiB needed, 5536 free\.$/,
        ),
      ],
      [expect.stringMatching(/^Profile default@\d+, revision \d+, REPLAYED\.$/)],
      [
        '| Filter | In | Out | Refused | Why |',
        '| --- | --: | --: | --: | --- |',
        '| ComputeFilter | 4 | 3 | 1 | 1 × The host is DISABLED: &lt;b> \\| disk. |',
        '| RamFilter | 3 | 0 | 3 | 2 × memory.too_little, such as: Memory: 32768 MiB needed by one instance; the host has 8192 MiB in total.<br>1 × Memory: 32768 MiB needed, 5536 free. |',
        ...Array(2).fill(expect.stringMatching(/^\| \w+ \| 0 \| 0 \| 0 \| {2}\|$/)),
      ],
      ['## Nearest'],
      [
        '- busy: Memory: 32768 MiB needed, 5536 free. 4 vCPUs needed, 0 free.',
        '- middle: Memory: 32768 MiB needed by one instance; the host has 24576 MiB in total.',
        '- small: Memory: 32768 MiB needed by one instance; the host has 8192 MiB in total.',
        '- shut: The host is DISABLED: &lt;b> \\| disk.',
      ],
      ['No host passed every filter.'],
    ])
  })

  test('the page of a placement has the best hosts with their totals', async () => {
    const { text } = await explain(placed, 'text')
    expect(text).toMatch(/## Best hosts\n\n- \w+: total -?[\d.]+, SELECTED\n- \w+: total -?[\d.]+, ALTERNATE/)
  })

  test.each(['failed', 'placed'])('the plain text page fits 80 columns: %s', async (which) => {
    const { text } = await explain(which === 'failed' ? failed : placed, 'text(format: PLAIN)')
    expect(text).toContain('- RamFilter: 3 in, ')
    expect(text.split('\n').filter((line: string) => line.length > 80)).toEqual([])
    expect(text).not.toContain('\\')
  })
})
