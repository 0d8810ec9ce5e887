import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'
import type { WireQuestion } from './asker.ts'

// these tests use the parts of examples/plugin-template in three modes in one service: trusted, in a thread, and over HTTP

const checkout = fileURLToPath(new URL('../../../../../', import.meta.url))
const ways = ['Trusted', 'Isolated', 'Extended'] as const

let folder: string
let api: TestService

/** The rule of the template, as an extender in another language would implement it. */
const answerOf = ({ kind, parameters }: WireQuestion, instances: number) => {
  const most = Number(parameters.mostInstances)
  if (kind === 'weigher') return -instances
  return instances < most || { code: 'instances.too_many', need: `fewer than ${most}`, have: instances, unit: 'instances' }
}
const extender = http.createServer(async (request, response) => {
  const question: WireQuestion = JSON.parse(await text(request))
  const answers = question.hosts.map(({ instances }) => answerOf(question, instances))
  response.end(JSON.stringify({ format: question.format, answers }))
})

const CREATE = `mutation ($profile: String!, $input: ProfileVersionInput!) { profileVersionCreate(profile: $profile, input: $input) {
  __typename ... on ValidationError { issues { message } } } }`

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'gantt-three-ways-'))
  await mkdir(path.join(folder, 'node_modules/@gantt'), { recursive: true })
  await symlink(path.join(checkout, 'packages/scheduler-core'), path.join(folder, 'node_modules/@gantt/scheduler-core'))
  const template = await readFile(path.join(checkout, 'examples/plugin-template/index.js'), 'utf8')
  for (const way of ['Trusted', 'Isolated'])
    await writeFile(
      path.join(folder, `${way}.mjs`),
      template.replaceAll("'Roomy", `'${way}Roomy`).replace("'template'", `'${way.toLowerCase()}'`),
    )
  extender.listen(0, '127.0.0.1')
  await once(extender, 'listening')
  const described = {
    ...{ name: 'extended', version: '1.0.0', description: 'd', timeoutMs: 10_000 },
    url: `http://127.0.0.1:${(extender.address() as AddressInfo).port}`,
    filters: [
      {
        ...{ name: 'ExtendedRoomyFilter', description: 'd', reads: ['runningVms'] },
        parameters: { type: 'object', properties: { mostInstances: { type: 'integer', default: 50 } }, additionalProperties: false },
      },
    ],
    weighers: [{ name: 'ExtendedRoomyWeigher', description: 'd', unit: 'instances', reads: ['runningVms'] }],
  }
  await writeFile(path.join(folder, 'extenders.json'), JSON.stringify({ extenders: [described] }))
  api = await startTestService({
    plugins: [
      { from: path.join(folder, 'Trusted.mjs'), mode: 'TRUSTED' },
      { from: path.join(folder, 'Isolated.mjs'), mode: 'ISOLATED' },
    ],
    pluginTimeoutMs: 10_000,
    extenders: path.join(folder, 'extenders.json'),
  })
  await api.report({ many: { runningVms: 9 }, full: { runningVms: 4 }, busy: { runningVms: 2 }, less: { runningVms: 1 } })
  for (const way of ways)
    expect(
      (
        await dataOf(api, CREATE, {
          profile: way.toLowerCase(),
          input: {
            note: 'n',
            filters: [{ name: 'ComputeFilter' }, { name: `${way}RoomyFilter`, options: { mostInstances: 4 } }],
            weighers: [{ name: `${way}RoomyWeigher`, multiplier: 2 }],
          },
        })
      ).profileVersionCreate,
    ).toEqual({ __typename: 'ProfilePayload' })
})

afterAll(async () => {
  await api?.close()
  extender.closeAllConnections()
  extender.close()
  await rm(folder, { recursive: true, force: true })
})

const EXPLAINED = `query ($id: ID!) { verifyDecision(id: $id) { outcome fidelity } node(id: $id) { ... on Decision { explanation {
  fidelity reasons { filter code hosts text } steps { name passed reasons { code text hosts } } } } } }`

/** The decision and messages in one mode, without the names of the parts. */
async function decide(way: string, flavor: Json = {}): Promise<Json> {
  const { decision, destinations, reasons } = await placeWith(
    api,
    { profile: way.toLowerCase(), alternatesPerInstance: 3, claim: { mode: 'NONE' }, deadline: 'PT20S' },
    flavor,
  )
  const { node, verifyDecision } = await dataOf(api, EXPLAINED, { id: decision.id })
  const { steps, ...explanation } = node.explanation
  const result = {
    reasons,
    explanation,
    verifyDecision,
    // filters outside of the process are called after all other filters, so their host counts in the funnel differ
    step: steps.find(({ name }: Json) => name === `${way}RoomyFilter`),
    places: destinations?.map(({ selected, alternates }: Json) => ({
      ...{ weight: selected.weight, host: selected.host.name },
      alternates: alternates.map(({ host }: Json) => host.name),
    })),
  }
  return JSON.parse(JSON.stringify(result).replaceAll(`${way}Roomy`, 'Roomy'))
}

test('a part gives the same decisions and messages in each of the three modes', async () => {
  const [trusted, ...others] = await Promise.all(ways.map((way) => decide(way)))
  expect(trusted).toMatchObject({ places: [{ host: 'less', alternates: ['busy'] }], verifyDecision: { outcome: 'SAME' } })
  for (const other of others) expect(other).toEqual(trusted)
})

test('a request that no host meets is refused with the same reasons in each mode', async () => {
  const [trusted, ...others] = await Promise.all(ways.map((way) => decide(way, { forceHosts: ['many', 'full'], forceVerify: 'ALL' })))
  expect(trusted.reasons[0]).toMatchObject({ filter: 'RoomyFilter', code: 'instances.too_many', hosts: 2 })
  for (const other of others) expect(other).toEqual(trusted)
})

test('parts in each mode see claims that no report counts yet', async () => {
  await Promise.all([0, 1].map(() => placeWith(api, { claim: { mode: 'CONFIRM' } }, { forceHosts: ['less'], forceVerify: 'NONE' })))
  const [trusted, ...others] = await Promise.all(ways.map((way) => decide(way)))
  expect(trusted).toMatchObject({ places: [{ host: 'busy', alternates: ['less'] }] })
  for (const other of others) expect(other).toEqual(trusted)
})
