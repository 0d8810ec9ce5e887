import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HttpProxy, startHttpProxy } from '../../apps/server/src/testing/http-proxy.ts'
import { createTestDatabase, type TestDatabase } from '../../apps/server/src/testing/test-database.ts'
import { ADMIN_KEY, type Service, startService } from '../../packages/proofs/src/processes/service.ts'

// Runs the programs of docs/client.md by the commands on that page, and compares what they print with it. The answer to the first call of
// each program that reserves resources is lost on its way.

const exec = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
let folder: string
let service: Service
let database: TestDatabase
let proxy: HttpProxy
let blocks: readonly { readonly form: string; readonly text: string }[]

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'gantt-client-'))
  database = await createTestDatabase()
  service = await startService({ GANTT_DATA_DIR: path.join(folder, 'state'), DATABASE_URL: database.url })
  // an existing fleet with more capacity than the hosts of the programs
  const machine = { vcpus: 512, vcpusUsed: 0, memoryMb: 4_194_304, memoryMbUsed: 0, localGb: 100_000, localGbUsed: 0 }
  const reporter = { incarnation: '9f0c1f0e-6d0e-4f6e-9b43-0a3c61a1d0cc', sequence: 1 }
  await service.client.request('mutation ($in: UpdateResourceStatsInput!) { updateResourceStats(input: $in) { appliedCount } }', {
    in: { updates: [{ name: { host: 'az1-01' }, reporter, report: { full: machine } }] },
  })
  proxy = await startHttpProxy(service.url)
  const page = await readFile(new URL('../client.md', import.meta.url), 'utf8')
  blocks = [...page.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)].map(([, form = '', text = '']) => ({ form, text }))
})

afterAll(async () => {
  await proxy?.close()
  await service?.stop()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

const CLAIMS = '{ claims(first: 100, states: [RESERVED, CONFIRMED]) { nodes { id state host { name } } } }'

interface Claims {
  readonly claims: { readonly nodes: readonly { readonly id: string; readonly state: string; readonly host: { readonly name: string } }[] }
}

/** Runs the command of the page that names the program, and checks the claims that it leaves behind. */
async function follow(program: string): Promise<void> {
  const command = blocks.find(({ form, text }) => form === 'sh' && text.includes(program))?.text ?? ''
  expect(command, `docs/client.md has no command for ${program}`).not.toBe('')
  const printed = blocks.find(({ form }) => form === 'text')?.text
  const before = (await service.client.request<Claims>(CLAIMS)).claims.nodes.map(({ id }) => id)
  const environment = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? folder, GANTT_URL: proxy.url, GANTT_KEY: ADMIN_KEY }
  const asked = proxy.calls('selectDestinations')
  proxy.plan('selectDestinations', 'lose answer')
  const { stdout, stderr } = await exec('sh', ['-c', command], { cwd: root, env: environment })
  expect([stdout, stderr]).toEqual([printed, program.endsWith('.sh') ? expect.stringContaining('curl: ') : ''])
  expect(proxy.calls('selectDestinations') - asked).toBe(2)
  const { claims } = await service.client.request<Claims>(CLAIMS)
  expect(claims.nodes.filter(({ id }) => !before.includes(id))).toMatchObject([{ state: 'CONFIRMED', host: { name: 'rack1-b' } }])
}

/** Why a command cannot be run here; undefined if it can. */
const missing = async (file: string, ...args: readonly string[]): Promise<string | undefined> =>
  exec(file, args).then(
    () => undefined,
    () => `${[file, ...args].join(' ')} does not work here`,
  )

test('the program in Node', () => follow('examples/node/place.mjs'))

test('the program with curl', async (context) => {
  const reason = await missing('curl', '--version')
  if (reason !== undefined) context.skip(reason)
  await follow('examples/curl/place.sh')
})

test('the list of operations with curl', async (context) => {
  const reason = await missing('curl', '--version')
  if (reason !== undefined) context.skip(reason)
  const QUERY = '{ viewer { scopes } }'
  const at = blocks.findIndex(({ form, text }) => form === 'sh' && text.includes('documentId'))
  // each document of a list must have been sent in a call of its own
  const { viewer } = await service.client.request<{ readonly viewer: { readonly scopes: readonly string[] } }>(QUERY)
  const environment = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? folder, GANTT_URL: proxy.url, GANTT_KEY: ADMIN_KEY }
  const { stdout } = await exec('sh', ['-c', blocks[at]?.text ?? ''], { cwd: root, env: environment })
  // the key of the page has another scope, and the lines can come in any order
  const printed = (blocks[at + 1]?.text ?? '').replaceAll('["READ"]', JSON.stringify(viewer.scopes))
  expect(stdout.trim().split('\n').sort()).toEqual(printed.trim().split('\n').sort())
})

test('every program of the page is run', () => {
  const commands = blocks.flatMap(({ form, text }) => (form === 'sh' ? [text.trim()] : []))
  expect(commands).toEqual(['node examples/node/place.mjs', 'sh examples/curl/place.sh', expect.stringContaining('documentId')])
})
