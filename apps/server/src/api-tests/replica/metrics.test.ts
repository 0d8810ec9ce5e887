import { afterAll, beforeAll, expect, test } from 'vitest'
import { metricsText } from '../../http/metrics.ts'
import { dataOf, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService

beforeAll(async () => {
  api = await startTestService()
})
afterAll(() => api.close())

const scrape = (key?: string) =>
  fetch(new URL('/metrics', api.url), key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } })

/** The value of each metric, by its name with labels. */
const valuesOf = (text: string) =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))] as const),
  )

test("a scrape contains mode, revision, objects and the auditor's findings", async () => {
  await api.report({ 'h-1': {}, 'h-2': {} })
  await placeWith(api, {})
  const answer = await scrape(await makeKey({ scopes: ['READ'] }))
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  const values = valuesOf(await answer.text())
  expect(values.get('gantt_hosts')).toBe(2)
  expect(values.get('gantt_claims')).toBe(1)
  expect(values.get('gantt_proposals_counted_total')).toBe(1)
  expect(values.get('gantt_mode{mode="NORMAL"}')).toBe(1)
  expect(values.get('gantt_mode{mode="READ_ONLY"}')).toBe(0)
  expect(values.get('gantt_audit_violations')).toBe(0)
  expect(values.get('gantt_log_revision')).toBeGreaterThanOrEqual(2)
  expect(values.get('process_resident_memory_bytes')).toBeGreaterThan(1e6)
})

test('if there are no violations, the start of this time and the counts of rounds and checks are reported', async () => {
  const key = await makeKey({ scopes: ['READ'] })
  const read = async () => valuesOf(await (await scrape(key)).text())
  // before the first report, the fleet has no hosts and a round of the auditor has nothing to check
  await expect.poll(async () => (await read()).get('gantt_audit_clean_looks')).toBeGreaterThan(0)
  await expect.poll(async () => (await read()).get('gantt_audit_clean_rounds')).toBeGreaterThan(0)
  const values = await read()
  const { auditor } = await dataOf(api, '{ auditor { cleanSince } }')
  expect(values.get('gantt_audit_clean_since_timestamp_seconds')).toBe(Date.parse(auditor.cleanSince) / 1_000)
})

test('every metric has one type line, before its values', async () => {
  const lines = (await (await scrape(await makeKey({ scopes: ['READ'] }))).text()).trimEnd().split('\n')
  const types = lines.filter((line) => line.startsWith('# TYPE ')).map((line) => line.split(' ')[2])
  expect(new Set(types).size).toBe(types.length)
  let family = ''
  for (const line of lines) {
    if (line.startsWith('# TYPE ')) family = line.split(' ')[2] ?? ''
    else if (!line.startsWith('#')) expect(line.replace(/[{ ].*$/, '')).toBe(family)
  }
})

test('a scrape without a key, with a key without READ, or with a key bound to a project is refused', async () => {
  expect((await scrape()).status).toBe(401)
  expect((await scrape('gantt_wrong')).status).toBe(401)
  for (const input of [{ scopes: ['REPORT'] }, { scopes: ['READ'], project: 'p1', account: 'p1' }]) {
    expect((await scrape(await makeKey(input))).status).toBe(403)
  }
  expect((await scrape(await makeKey({ scopes: ['READ'] }))).status).toBe(200)
})

test('unknown values are omitted, and label values are quoted', () => {
  const health = {
    replica: 'a "b"\\c',
    release: '1.2.3',
    version: '1',
    mode: 'CLOSING' as const,
    reason: null,
    code: null,
    revision: 1,
    ageMs: 1_500,
    featureLevel: 1,
    degraded: [],
    violations: 2,
    warnings: 3,
    clean: null,
    checkedAgeMs: null,
    engine: 'postgres',
    sharedFlush: false,
    flushMs: null,
  }
  const auditor = {
    violations: 2,
    warnings: 3,
    notices: 0,
    counts: new Map([
      ['state.column', 2],
      ['instance.two_hosts', 3],
    ] as const),
    clean: null,
    findings: [],
    checkedAt: null,
    ageMs: null,
    rounds: 0,
    roundMs: null,
    looked: 0,
    compared: 0,
    decisionsChecked: 3,
    agreedAt: null,
  }
  const proposals = {
    counted: 7,
    fruitless: new Map([['claim.no_room', 3] as const]),
    unlogged: 5,
    refused: new Map([['memory.short', 2] as const]),
  }
  const text = metricsText({
    health,
    auditor,
    proposals,
    hosts: 0,
    warnings: new Map([['use.no_instances', 2]]),
    collectors: { states: [{ collector: 'power', value: 'FAILING', hosts: 4 }], errors: [] },
    aggregates: 0,
    claims: 0,
    pause: { wallMs: 12, cpuMs: 11 },
  })
  expect(text).toContain('gantt_info{release="1.2.3",rules="1",version="1",replica="a \\"b\\"\\\\c"} 1\n')
  expect(text).toContain('gantt_audit_violations 2\n')
  expect(text).toContain('gantt_collectors{collector="power",state="FAILING"} 4\n')
  expect(text).toContain('gantt_audit_findings{code="instance.two_hosts",severity="warning"} 3\n')
  expect(text).toContain('gantt_audit_clean_looks 0\n')
  expect(text).toContain('gantt_audit_clean_rounds 0\n')
  expect(text).not.toMatch(/^gantt_audit_clean_since/m)
  expect(text).toContain('gantt_state_age_seconds 1.5\n')
  expect(text).toContain('gantt_proposals_counted_total 7\n')
  expect(text).toContain('gantt_decisions_unlogged_total 5\n')
  expect(text).toContain('gantt_decisions_refused_total{cause="memory.short"} 2\n')
  expect(text).toContain('gantt_proposals_fruitless_total{rule="claim.no_room"} 3\n')
  expect(text).toContain('gantt_host_warnings{code="use.no_instances"} 2\n')
  expect(text).toContain('gantt_longest_pause_seconds 0.012\n')
  expect(text).not.toMatch(/^gantt_audit_age_seconds/m)
})

async function makeKey(input: Record<string, unknown>): Promise<string> {
  const { apiKeyCreate } = await dataOf(
    api,
    'mutation ($input: ApiKeyCreateInput!) { apiKeyCreate(input: $input) { ... on ApiKeyPayload { secret } ... on ValidationError { issues { message } } } }',
    { input: { name: 'prometheus', account: 'ops', ...input } },
  )
  expect(apiKeyCreate.issues).toBeUndefined()
  return apiKeyCreate.secret
}
