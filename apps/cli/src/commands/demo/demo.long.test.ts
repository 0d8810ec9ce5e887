import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Client, createClient } from '@gantt/client'
import { afterAll, beforeAll, expect, test } from 'vitest'

const BIN = fileURLToPath(new URL('../../../bin/gantt.mjs', import.meta.url))
const LAST_LINE = 'The next start uses'

let folder: string
const running = new Set<Demo>()

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'gantt-demo-'))
  fs.chmodSync(folder, 0o711)
})

afterAll(async () => {
  for (const demo of running) await demo.stop()
  fs.rmSync(folder, { recursive: true, force: true })
})

interface Demo {
  readonly output: { out: string; err: string }
  readonly ended: Promise<number | null>
  /** Sends SIGTERM; resolves to the exit code. */
  stop(): Promise<number | null>
}

/** Runs `gantt demo` in a separate process. */
function start(...args: readonly string[]): Demo {
  const child: ChildProcess = spawn(process.execPath, [BIN, 'demo', '--port', '0', ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { out: '', err: '' }
  child.stdout?.on('data', (data) => {
    output.out += data
  })
  child.stderr?.on('data', (data) => {
    output.err += data
  })
  const demo: Demo = {
    output,
    ended: once(child, 'close').then(([code]) => {
      running.delete(demo)
      return code
    }),
    stop() {
      child.kill('SIGTERM')
      return demo.ended
    },
  }
  running.add(demo)
  return demo
}

/** Waits for the links. If the demo ends before it prints them, fails with its output. */
async function linksOf({ output, ended }: Demo) {
  const ready = expect.poll(() => output.out, { interval: 50 }).toContain(LAST_LINE)
  await Promise.race([ready, ended.then((code) => Promise.reject(new Error(`it ended with ${code}: ${output.err}`)))])
  const text = output.out
  const found = (pattern: RegExp): string => pattern.exec(text)?.[1] ?? ''
  const url = found(/GANTT_URL=(\S+)/)
  const key = found(/GANTT_KEY=(\S+)/)
  return {
    text,
    key,
    first: decodeURIComponent(found(/Start with this failed decision:\n {2}http:\S+\/decisions\/([^#\s]+)#key=/)),
    failed: [...text.matchAll(/\/decisions\/([^#\s]+)/g)].map(([, id]) => decodeURIComponent(id ?? '')),
    client: createClient({ url, key }),
  }
}

const DECISION = `query Decision($id: ID!) { decision(id: $id) { outcome spec { flavorName availabilityZone } } }`

const outcomeOf = async (client: Client, id: string) =>
  (await client.request<{ decision: { outcome: string; spec: { flavorName: string; availabilityZone: string } } }>(DECISION, { id }))
    .decision

const COUNT = `query Count { hosts(first: 1) { totalCount } released: claims(first: 1, states: [RELEASED]) { totalCount }
  running: claims(first: 1, states: [MATERIALISED]) { totalCount } }`

const countsOf = async (client: Client) => {
  const { hosts, released, running } =
    await client.request<Record<'hosts' | 'released' | 'running', { readonly totalCount: number }>>(COUNT)
  return { hosts: hosts.totalCount, released: released.totalCount, running: running.totalCount }
}

const OPERATIONS = `query Operated {
  liveness { source }
  serverGroups(first: 500) { nodes { uuid policy maxServerPerHost members { count } } }
  claims(first: 500) { nodes { state serverGroup movingTo { host { name } } reason } }
  hosts(first: 500, query: "status:MAINTENANCE claims=0") { nodes { statusReason } }
}`

type Claims = readonly { state: string; serverGroup: string | null; movingTo: object | null; reason: string | null }[]

interface Operated {
  readonly liveness: { readonly source: string }
  readonly serverGroups: { readonly nodes: readonly { uuid: string }[] }
  readonly claims: { readonly nodes: Claims }
  readonly hosts: { readonly nodes: readonly { statusReason: string }[] }
}

/** The results of the demo's operator edits, as the API shows them. */
async function operated(client: Client) {
  const { liveness, claims, hosts } = await client.request<Operated>(OPERATIONS)
  const moving = claims.nodes.filter(({ movingTo }) => movingTo !== null)
  const members = claims.nodes.filter(({ state, serverGroup }) => state === 'MATERIALISED' && serverGroup === moving[0]?.serverGroup)
  return {
    source: liveness.source,
    moving: moving.length,
    members: members.length,
    revoked: claims.nodes.filter(({ state }) => state === 'REVOKED').map(({ reason }) => reason),
    evacuated: claims.nodes.filter(({ state, reason }) => state === 'RELEASED' && reason === 'moved').length >= 2,
    emptied: hosts.nodes.filter(({ statusReason }) => statusReason === 'Emptied for a new mainboard').length,
  }
}

const AUDIT = `{ auditor { rounds counts { code count } } }`

/** The count of the auditor's findings, by code, after a complete new check. */
async function audited(client: Client) {
  const read = async () => (await client.request<{ auditor: { rounds: number; counts: readonly { code: string }[] } }>(AUDIT)).auditor
  const { rounds } = await read()
  await expect.poll(async () => (await read()).rounds, { timeout: 60_000 }).toBeGreaterThan(rounds + 1)
  return (await read()).counts
}

/** Hosts whose reports list instances without a claim on the host. */
async function withoutClaims(client: Client) {
  type Seen = { hosts: { nodes: readonly { name: string; instancesWithoutClaims: number }[] } }
  const { hosts } = await client.request<Seen>('{ hosts(first: 500) { nodes { name instancesWithoutClaims } } }')
  return hosts.nodes.filter(({ instancesWithoutClaims }) => instancesWithoutClaims > 0)
}

const OPERATED = {
  source: 'reports',
  moving: 1,
  members: 3,
  revoked: ['The contract of the tenant has ended'],
  evacuated: true,
  emptied: 1,
}

test('a demo prints its links, runs, stops cleanly and continues at the next start', async () => {
  const data = path.join(folder, 'demo')
  const demo = start('--hosts', '30', '--rate', '100', '--data-dir', data)
  const { client, key, first, failed } = await linksOf(demo)
  expect(await outcomeOf(client, first)).toEqual({
    outcome: 'NO_VALID_HOST',
    spec: { flavorName: 'r1.8xlarge', availabilityZone: 'z2' },
  })
  expect(failed).toHaveLength(5)
  for (const id of failed) expect(await outcomeOf(client, id)).toMatchObject({ outcome: 'NO_VALID_HOST' })

  expect(await operated(client)).toEqual(OPERATED)
  expect(await audited(client)).toEqual([])

  // the stream of requests creates claims and releases them
  await expect.poll(async () => (await countsOf(client)).released).toBeGreaterThan(0)
  expect(await countsOf(client)).toMatchObject({ hosts: 30, running: expect.toSatisfy((running: number) => running > 0) })

  const second = start('--hosts', '30', '--data-dir', data)
  expect(await second.ended).toBe(1)
  expect([second.output.out, second.output.err]).toEqual(['', expect.stringContaining(`Another demo runs on ${data}.`)])

  expect(await demo.stop()).toBe(0)
  expect(fs.existsSync(path.join(data, 'data', 'postmaster.pid'))).toBe(false)

  const again = start('--hosts', '40', '--once', '--data-dir', data)
  const next = await linksOf(again)
  expect(next.key).toBe(key)
  expect(await outcomeOf(next.client, first)).toMatchObject({ outcome: 'NO_VALID_HOST' })
  expect(await countsOf(next.client)).toMatchObject({ hosts: 40 })
  // the second start neither releases the claims of the operators' edits nor repeats the edits
  expect(await operated(next.client)).toEqual(OPERATED)
  expect([await audited(next.client), await withoutClaims(next.client)]).toEqual([[], []])
  expect(await again.stop()).toBe(0)
})
