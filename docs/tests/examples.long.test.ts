import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CommandOutput, gantt, oneLine } from '../../apps/cli/src/testing/gantt.ts'
import { createTestDatabase, type TestDatabase } from '../../apps/server/src/testing/test-database.ts'
import { ADMIN_KEY, type Service, startService } from '../../packages/proofs/src/processes/service.ts'
import { expectSample } from '../testing/sample.ts'

// Runs the examples of docs/what-if.md, docs/profiles.md, docs/explanations.md and docs/namespaces.md on one service: their blocks of `sh`,
// `bash` and `graphql`, and the `gantt ...` of the table of states. Words in capitals are replaced by existing names and ids.

let folder: string
let service: Service
let database: TestDatabase
let refused: string
let placed: string

const REPORT = `mutation Report($updates: [ResourceStatsInput!]!) {
  updateResourceStats(input: { updates: $updates }) { appliedCount results { ... on UserError { message } } }
}`

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'gantt-pages-'))
  database = await createTestDatabase()
  service = await startService({ GANTT_DATA_DIR: path.join(folder, 'state'), DATABASE_URL: database.url })
  const rack = { vcpus: 64, vcpusUsed: 0, memoryMb: 524_288, memoryMbUsed: 0, localGb: 1_000, localGbUsed: 0 }
  const hosts = { 'rack1-a': rack, 'rack1-b': rack, full: { ...rack, memoryMb: 8_192, memoryMbUsed: 8_000 } }
  const updates = Object.entries(hosts).map(([host, full], at) => {
    const reporter = { incarnation: `9f0c1f0e-6d0e-4f6e-9b43-0a3c61a1d00${at}`, sequence: 1 }
    return { name: { host }, reporter, report: { full } }
  })
  expect(await service.client.request(REPORT, { updates })).toMatchObject({ updateResourceStats: { appliedCount: 3 } })
  const decided = async (...args: readonly string[]) =>
    oneLine<{ decision: { id: string } }>(await run('select', '--memory-mb', '4096', '--advice', '--json', ...args)).decision.id
  placed = await decided('--vcpus', '1')
  refused = await decided('--vcpus', '65')
})

afterAll(async () => {
  await service?.stop()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

const run = (...args: readonly string[]): Promise<CommandOutput> => gantt({ GANTT_URL: service.url, GANTT_KEY: ADMIN_KEY }, ...args)

interface Block {
  readonly form: string
  readonly text: string
}

const pageOf = (name: string): Promise<string> => readFile(new URL(`../${name}`, import.meta.url), 'utf8')

const blocksOf = (page: string): Block[] =>
  [...page.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)].map(([, form = '', text = '']) => ({ form, text: text.trim() }))

/** The arguments of a `gantt` command line, with existing names and ids in place of the words in capitals. */
function wordsOf(line: string, there: Readonly<Record<string, string>>): string[] {
  const [, command = ''] = /^(?:npx )?gantt (.*)$/.exec(line) ?? []
  expect(command, line).not.toBe('')
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
  return words.map((word) => Object.entries(there).reduce((text, [name, value]) => text.replace(name, value), word))
}

test('docs/what-if.md: every command succeeds, and the past is shown as the page says', async () => {
  const [past, ...blocks] = blocksOf(await pageOf('what-if.md'))
  expect(blocks.map(({ form, text }) => `${form} ${text.split(' ')[1]}`)).toEqual(['sh simulate', 'sh capacity', 'sh what-would-fit'])
  const { decision, fleet } = await service.client.request<{ decision: { at: string }; fleet: { asOf: string } }>(
    'query ($id: ID!) { decision(id: $id) { at } fleet { asOf } }',
    { id: placed },
  )
  const asked = (past?.text ?? '').replace('2026-11-21T08:00:00Z', decision.at).replace('88123', fleet.asOf).replace('cmp-1', 'rack1-a')
  expect(await service.client.request(asked)).toMatchObject({
    fleet: { asOf: fleet.asOf, at: expect.any(String), totals: [{ key: 'nova' }] },
    host: { status: 'ENABLED', claims: { nodes: [] } },
  })
  for (const { text } of blocks) {
    const { out, err, code } = await run(...wordsOf(text, { DECISION: refused }))
    expect([text, err, code]).toEqual([text, '', 0])
    expect(out).not.toBe('')
  }
})

test('docs/profiles.md: the file is checked, a version goes through all states and back, and two decisions are compared', async () => {
  const page = await pageOf('profiles.md')
  const [check, file, ...others] = blocksOf(page)
  expect([check?.form, file?.form, others.length]).toEqual(['bash', 'json', 0])
  const spread = path.join(folder, 'spread.json')
  await writeFile(spread, file?.text ?? '')
  const said = await run(...wordsOf(check?.text ?? '', { 'spread.json': spread }))
  expect([said.err, said.code]).toEqual(['', 0])

  const create = `mutation ($input: ProfileVersionInput!) { profileVersionCreate(profile: "spread", input: $input) { __typename } }`
  const { name: _name, ...input } = JSON.parse(file?.text ?? '')
  for (let version = 1; version <= 2; version++)
    expect(await service.client.request(create, { input })).toEqual({ profileVersionCreate: { __typename: 'ProfilePayload' } })
  const table = page.split('\n').filter((line) => line.startsWith('|'))
  const steps = table.flatMap(
    (line) => /^\| (.+?) \|.*`(gantt profile (?:shadow|canary|activate|rollback) [^`]+)`/.exec(line)?.slice(1) ?? [],
  )
  expect(steps.filter((_step, i) => i % 2 === 0)).toEqual(['shadow', 'canary', 'active', 'rolled back'])
  for (let i = 0; i < steps.length; i += 2) {
    const [state = '', command = ''] = steps.slice(i)
    const { err, code } = await run(...wordsOf(command, { NAME: 'spread', '...': 'slower' }))
    expect([command, err, code]).toEqual([command, '', 0])
    const { profile } = await service.client.request<{ profile: { versions: { nodes: { number: number; state: string }[] } } }>(
      '{ profile(name: "spread") { versions { nodes { number state } } } }',
    )
    expect(profile.versions.nodes.find(({ number }) => number === 2)?.state).toBe(state.toUpperCase().replace(' ', '_'))
  }
  for (const command of ['gantt profile show NAME', 'gantt compare FIRST SECOND']) {
    expect(page).toContain(`\`${command}\``)
    expect((await run(...wordsOf(command, { NAME: 'spread', FIRST: placed, SECOND: refused }))).code).toBe(0)
  }
})

test('docs/explanations.md: the query is answered as the page says', async () => {
  const [query, expected, ...others] = blocksOf(await pageOf('explanations.md'))
  expect([query?.form, expected?.form, others.length]).toEqual(['graphql', 'json', 0])
  type Check = { readonly filter: string }
  const { whyNot } = await service.client.request<{ whyNot: { verdict: { checks: Check[] } } }>((query?.text ?? '').replace('...', placed))
  const check = whyNot.verdict.checks.find(({ filter }) => filter === 'RamFilter')
  // except for the time of the report
  const withoutTime = (text: string): unknown => JSON.parse(text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then'))
  expect(withoutTime(JSON.stringify(check))).toEqual(withoutTime(expected?.text ?? ''))
})

// after the tests that need the racks unchanged, and before those in which the racks report storage
test('README.md: its calls give the answers that it shows', async (context) => {
  if (spawnSync('curl', ['--version']).status !== 0) return context.skip('curl does not work here')
  const page = await pageOf('../README.md')
  const from = page.indexOf('## Place something')
  const blocks = blocksOf(page.slice(from, page.indexOf('## From a terminal')))
  expect(blocks.map(({ form }) => form)).toEqual(['sh', 'sh', 'sh', 'json', 'sh', 'json'])
  const forms = blocks.map(({ form, text }) => ({
    form,
    text: text.replace('http://127.0.0.1:4400/graphql', service.url).replace('gantt_...', ADMIN_KEY),
  }))
  const scripts = forms.filter(({ form }) => form === 'sh').map(({ text }) => text)
  const { stdout, stderr, status } = spawnSync('bash', ['-ec', scripts.join('\necho ----\n')], { cwd: folder, encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  const [, reported = '', placed = '', why = ''] = stdout.split('----\n')
  expect(JSON.parse(reported)).toEqual({ data: { updateResourceStats: { appliedCount: 2 } } })
  const [first = '', second = ''] = forms.filter(({ form }) => form === 'json').map(({ text }) => text)
  expectSample(placed, first)
  expectSample(why, second)
})

test('docs/namespaces.md: an instance is placed near its volume and its port', async () => {
  const blocks = blocksOf(await pageOf('namespaces.md'))
  expect(blocks.map(({ form }) => form)).toEqual(['graphql', 'graphql', 'graphql', 'json', 'graphql'])
  const answers = []
  for (const { text } of blocks.slice(0, 3)) answers.push(await service.client.request(text))
  expect(answers).toEqual([
    { updateResourceStats: { appliedCount: 3 } },
    { profileVersionCreate: { __typename: 'ProfilePayload' } },
    JSON.parse(blocks[3]?.text ?? ''),
  ])
  expect(await service.client.request(blocks[4]?.text ?? '')).toEqual({ aggregateCreate: { __typename: 'AggregatePayload' } })
  expect((await run('host', 'show', 'rack1-b')).out).toMatch(
    /reported by other services\n.*\nstorage +1\.0 +1 +\d+ s +-\nnetwork +1\.0 +1 +/,
  )
})
