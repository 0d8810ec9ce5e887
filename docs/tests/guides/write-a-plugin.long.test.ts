import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gantt } from '../../../apps/cli/src/testing/gantt.ts'
import { createTestDatabase, type TestDatabase } from '../../../apps/server/src/testing/test-database.ts'
import { ADMIN_KEY, type Service, startService } from '../../../packages/proofs/src/processes/service.ts'
import { type Block, checkout, readBlocks, runTool, writeBlock } from '../../testing/follow-page.ts'

// Follows docs/write-a-plugin.md outside of the checkout: a `diff` block is an edit, `sh` and `graphql` blocks are run. The service is
// started as the command line starts it, with examples/plugin-rack and examples/plugin-power in addition to the plug-in of the page.

let folder: string
let blocks: Block[]
let service: Service
let database: TestDatabase

const REPORT = `mutation Report($updates: [ResourceStatsInput!]!) {
  updateResourceStats(input: { updates: $updates }) { appliedCount results { ... on UserError { message } } }
}`
const PLACE = `mutation Place($input: SelectDestinationsInput!) { selectDestinations(input: $input) { __typename
  ... on SelectDestinationsPayload { destinations { selected { host { name } } } decision { id plugins { name version }
    explanation { fidelity steps { name passed reasons { code text } } } } }
  ... on UserError { message } } }`

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'gantt-plugin-'))
  blocks = await readBlocks('write-a-plugin.md')
  expect(blocks.map(({ form }) => form).join(' ')).toBe('sh diff diff diff diff sh sh graphql graphql diff diff graphql js js')
  runShell(0)
  for (const block of blocks.filter(({ form }) => form === 'diff')) await writeBlock(folder, block)
  const plugins = `trusted:${path.join(folder, 'quiet')},trusted:${path.join(checkout, 'examples/plugin-rack')},trusted:${path.join(checkout, 'examples/plugin-power')}`
  expect(shell(2)).toBe('GANTT_PLUGINS="trusted:$PWD/quiet" npm --prefix "$GANTT" start\n')
  database = await createTestDatabase()
  // the parts of all examples have different names, because one service loads them together
  const extenders = path.join(checkout, 'examples/extender-python/extenders.json')
  service = await startService({
    GANTT_DATA_DIR: path.join(folder, 'state'),
    DATABASE_URL: database.url,
    GANTT_PLUGINS: plugins,
    GANTT_EXTENDERS: extenders,
  })
  const machine = { vcpus: 64, vcpusUsed: 0, memoryMb: 524_288, memoryMbUsed: 0, localGb: 1_000, localGbUsed: 0 }
  const hosts = {
    busy: { runningVms: 2, traits: ['CUSTOM_RACK_R1'] },
    less: { runningVms: 1, traits: ['CUSTOM_RACK_R1'] },
    idle: { runningVms: 0 },
  }
  const updates = Object.entries(hosts).map(([host, said], at) => {
    const reporter = { incarnation: `9f0c1f0e-6d0e-4f6e-9b43-0a3c61a1d00${at}`, sequence: 1 }
    return { name: { host }, reporter, report: { full: { ...machine, ...said } } }
  })
  expect(await service.client.request(REPORT, { updates })).toMatchObject({ updateResourceStats: { appliedCount: 3 } })
})

afterAll(async () => {
  await service?.stop()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

// biome-ignore lint/suspicious/noExplicitAny: a test reads JSON freely
const ask = (query: string, variables: Record<string, unknown> = {}): Promise<any> => service.client.request(query, variables)
const shell = (nth: number): string => blocks.filter(({ form }) => form === 'sh')[nth]?.text ?? ''
/** Each block runs in the same folder, as a reader of the page stays in one folder. */
function runShell(nth: number): void {
  const { status, stdout, stderr } = spawnSync('sh', ['-ec', shell(nth)], {
    cwd: folder,
    env: { ...process.env, GANTT: checkout },
    encoding: 'utf8',
  })
  expect(status, `${stdout}${stderr}`).toBe(0)
}
const graphql = (nth: number): string => blocks.filter(({ form }) => form === 'graphql')[nth]?.text ?? ''
const place = async (profile: string, gantt: Record<string, unknown> = {}) =>
  (
    await ask(PLACE, {
      input: {
        idempotencyKey: `${profile}-${JSON.stringify(gantt)}`,
        profile,
        spec: { gantt: { flavor: { vcpus: 1, memoryMb: 64 }, ...gantt } },
      },
    })
  ).selectDestinations

describe('the service', () => {
  test('lists the plug-in of the page, and the parameters that it accepts', async () => {
    const { plugins } = await ask(graphql(0))
    expect(plugins.map(({ name }: { name: string }) => name)).toEqual(['quiet', 'rack', 'power', 'kilowatts'])
    expect(plugins[0]).toMatchObject({
      ...{ version: '1.0.0', mode: 'TRUSTED', failureCount: 0, lastFailure: null },
      parts: [
        {
          ...{ kind: 'FILTER', name: 'QuietFilter', reads: ['runningVms'], unit: null },
          parameters: { type: 'object', properties: { mostInstances: { default: 3, minimum: 1 } } },
        },
        { kind: 'WEIGHER', name: 'QuietWeigher', unit: 'instances', parameters: null },
        { kind: 'SCHEDULER', name: 'quiet-first', unit: null, parameters: null },
      ],
    })
  })

  test('decides by the plug-in, and shows its name and its numbers in the API and in the terminal', async () => {
    expect(await ask(graphql(1))).toEqual({ profileVersionCreate: { __typename: 'ProfilePayload' } })
    const { decision, destinations } = await place('quiet')
    expect(destinations[0].selected.host.name).toBe('idle')
    expect(decision).toMatchObject({ plugins: [{ name: 'quiet', version: '1.0.0' }], explanation: { fidelity: 'REPLAYED' } })
    expect(decision.explanation.steps.find(({ name }: { name: string }) => name === 'QuietFilter')).toMatchObject({
      passed: 2,
      reasons: [{ code: 'instances.too_many', text: 'The host has 2 instances; a placement requires fewer than 2.' }],
    })
    const { out, code } = await gantt({ GANTT_URL: service.url, GANTT_KEY: ADMIN_KEY }, 'explain', decision.id)
    expect(code).toBe(0)
    for (const name of ['QuietFilter', 'QuietWeigher']) expect(out).toContain(name)
  })

  test('accepts a host that the agent reports, and counts the instances of claims there', async () => {
    const environment = { GANTT_URL: service.url, GANTT_KEY: ADMIN_KEY }
    const { out, err, code } = await gantt(environment, 'agent', '--once', '--name', 'agents')
    expect([code, `${out}${err}`.includes('refused')]).toEqual([0, false])
    const onAgents = async (nth: number) => (await place('quiet', { forceHosts: ['agents'], userId: `u${nth}` })).__typename
    expect([await onAgents(1), await onAgents(2), await onAgents(3)]).toEqual([
      'SelectDestinationsPayload',
      'SelectDestinationsPayload',
      'NoValidHost',
    ])
  })

  test('decides by the rack example: the host is in the requested rack, and is the one that the weigher prefers', async () => {
    const input = {
      note: 'Racks.',
      filters: [{ name: 'RackFilter' }],
      weighers: [
        { name: 'RackWeigher', multiplier: 1 },
        { name: 'QuietWeigher', multiplier: 1 },
      ],
    }
    await ask(`mutation Racks($input: ProfileVersionInput!) { profileVersionCreate(profile: "racks", input: $input) { __typename } }`, {
      input,
    })
    const asked = await place('racks', { schedulerHints: [{ key: 'rack', values: ['r1'] }] })
    expect([asked.destinations[0].selected.host.name, asked.decision.plugins]).toEqual([
      'less',
      [
        { name: 'quiet', version: '1.0.0' },
        { name: 'rack', version: '1.1.0' },
      ],
    ])
    expect(asked.decision.explanation.steps.find(({ name }: { name: string }) => name === 'RackFilter').reasons).toEqual([
      { code: 'filter.refused', text: 'rack: R1 needed, none here.' },
    ])
  })

  test('accepts reports of another service under the namespace of the power example, and decides by them', async () => {
    const report = (host: string, sequence: number, document: unknown) => ({
      ...{ name: { host }, reporter: { incarnation: '9f0c1f0e-6d0e-4f6e-9b43-0a3c61a1d0bb', sequence } },
      report: { namespace: { namespace: 'power', version: '1.0', document } },
    })
    const updates = [report('busy', 1, { freeWatts: 900 }), report('less', 1, { freeWatts: 100 }), report('less', 2, { freeWatts: -1 })]
    const { updateResourceStats } = await ask(REPORT, { updates })
    expect([updateResourceStats.appliedCount, updateResourceStats.results[2].message]).toEqual([
      2,
      expect.stringContaining('document.freeWatts'),
    ])
    const input = { note: 'Power.', filters: [{ name: 'WattsFilter' }], weighers: [{ name: 'WattsWeigher', multiplier: 1 }] }
    await ask(`mutation Watts($input: ProfileVersionInput!) { profileVersionCreate(profile: "watts", input: $input) { __typename } }`, {
      input,
    })
    const { decision, destinations } = await place('watts')
    expect(destinations[0].selected.host.name).toBe('busy')
    const step = decision.explanation.steps.find(({ name }: { name: string }) => name === 'WattsFilter')
    expect(step.reasons.map(({ code }: { code: string }) => code).sort()).toEqual(['filter.refused', 'namespace.not_reported'])
  })

  test('decides by the scheduler of the plug-in, which chooses the host that was seen first', async () => {
    expect(await ask(graphql(2))).toEqual({ profileVersionCreate: { __typename: 'ProfilePayload' } })
    const { decision, destinations } = await place('quiet-first')
    expect([destinations[0].selected.host.name, decision.plugins]).toEqual(['busy', [{ name: 'quiet', version: '1.0.0' }]])
  })
})

// this test is the last one: while it runs, nothing here reads from the service, which closes idle connections
test('the types of the plug-in and of the other examples are correct', async () => {
  expect(shell(1)).toBe('"$GANTT/node_modules/.bin/tsc" -p quiet\n')
  const examples = ['plugin-template', 'plugin-rack', 'plugin-power'].map((name) => path.join(checkout, 'examples', name))
  const configs = await Promise.all(examples.map((example) => readFile(path.join(example, 'tsconfig.json'), 'utf8')))
  // the type check of the page is that of the template
  expect(new Set(configs).size).toBe(1)
  const quiet = path.join(folder, 'quiet')
  const all = path.join(quiet, 'tsconfig.all.json')
  await writeFile(all, JSON.stringify({ extends: './tsconfig.json', include: [quiet, ...examples].map((of) => path.join(of, '*.js')) }))
  runTool(folder, 'typescript7/bin/tsc', '-p', all)
})
