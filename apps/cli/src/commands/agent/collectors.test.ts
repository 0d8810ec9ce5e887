import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { ADMIN_KEY } from '../../../../../packages/proofs/src/processes/service.ts'
import { collectorProcesses } from '../../../../../testing/collector-processes.ts'
import { useOwnService } from '../../testing/own-service.ts'
import { createLab, fastClock, prints, steady, writeLabPlugin } from './testing/lab.ts'

// Collectors as processes of an agent, against a service with a plug-in whose namespaces they produce.

const folder = mkdtempSync(path.join(tmpdir(), 'gantt-collectors-'))
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  expect(collectorProcesses()).toEqual([])
})

const plugin = writeLabPlugin(folder)
const bin = fileURLToPath(new URL('../../../bin/gantt.mjs', import.meta.url))
const own = useOwnService({ withFleet: false, settings: { GANTT_PLUGINS: `trusted:${plugin}` } })

const { seen, collectorOf, documentOf, createProfile, startAgent } = createLab(own, folder)

const FLOOD =
  "const mib = 'x'.repeat(1_048_576); const print = (left) => left > 0 && process.stdout.write(mib, () => print(left - 1)); print(100)"
const GREEDY = 'const all = []; setInterval(() => all.push(Buffer.alloc(16 * 1_048_576, 1)), 5)'

describe('a collector that misbehaves', () => {
  const misbehaving: readonly (readonly [string, string | Readonly<Record<string, unknown>>, string, RegExp])[] = [
    [
      'hangs',
      { command: [process.execPath, '-e', 'setInterval(() => {}, 1_000)'], timeoutSeconds: 1 },
      'TIME_LIMIT',
      /^it did not end within 1 s$/,
    ],
    ['floods', FLOOD, 'OUTPUT_LIMIT', /^it printed more than 1048576 bytes$/],
    ['halves', 'process.stdout.write(\'{"version":"1.0","document":{"wat\')', 'MALFORMED', /^its output is not one JSON document/],
    ['crashes', "console.error('no sensor'); process.exit(7)", 'CRASHED', /^it ended with code 7: no sensor$/],
    ['greedy', { command: [process.execPath, '-e', GREEDY], memoryMib: 128 }, 'MEMORY_LIMIT', /more than 128 MiB of memory$/],
    ['foreign', prints({ host: 'another', version: '1.0', document: { watts: 1 } }), 'FOREIGN', /^it wants to report the host "another"/],
    [
      'unsafe',
      prints({ version: '1.0', document: { watts: 1e300 } }),
      'MALFORMED',
      /^its document cannot be sent: document\.watts is 1e\+300/,
    ],
    ['unplain', "console.error('no\\u202e\\u0000feed\\u3164'); process.exit(7)", 'CRASHED', /: no\\u\{202e\}\\u\{0\}feed\\u\{3164\}$/],
    ['changed', prints({ version: '1.0', document: { watts: 5, phase: 1 } }), 'REFUSED', /^stats\.\w+: document\b.*phase/],
    ['versions', prints({ version: '0.9', document: { watts: 5 } }), 'REFUSED', /^stats\.unknown_version: version is "0\.9"; .*1\.0/],
    ['nowhere', steady, 'REFUSED', /^stats\.unknown_namespace: namespace is "nowhere"; it must be a namespace that this replica knows: /],
  ]

  test.each(misbehaving)(
    '%s: it is named by the host, and another collector and the machine are reported',
    async (name, work, code, text) => {
      await createProfile('lab', ['ReadWeigher'])
      const host = `bad-${name}`
      // nothing reads a namespace that the service does not know, so such a collector is run only if it is slowed instead of paused
      const settings = typeof work === 'string' ? { command: [process.execPath, '-e', work] } : work
      const agent = startAgent(host, { [name]: { ...settings, whileUnread: 'slow', slowIntervalSeconds: 1 }, steady })
      try {
        await expect.poll(() => collectorOf(host, name)).toMatchObject({ state: 'FAILING', lastGoodAt: null, error: { code } })
        expect((await collectorOf(host, name))?.error?.message).toMatch(text)
        await expect.poll(() => documentOf(host, 'steady')).toEqual({ watts: 5 })
        await expect.poll(() => collectorOf(host, 'steady')).toMatchObject({ state: 'SENDING', error: null })
        expect(await documentOf(host, name)).toBeUndefined()
        expect(await documentOf('another', name)).toBeUndefined()
        expect(agent.logged(name).at(-1)).toMatchObject({ state: 'FAILING', error: { code } })
        expect(agent.events.map(({ event }) => event)).toContain('reported')
      } finally {
        await agent.end()
      }
    },
  )

  test('its last good document stays, the time of that document is shown, and it recovers', async () => {
    await createProfile('lab', ['ReadWeigher'])
    const file = path.join(folder, 'watts.json')
    const print = `process.stdout.write(require('node:fs').readFileSync(${JSON.stringify(file)}))`
    const write = (watts: unknown) => writeFileSync(file, JSON.stringify({ version: '1.0', document: { watts } }))
    write(100)
    const agent = startAgent('recovers', { changed: print })
    try {
      await expect.poll(() => collectorOf('recovers', 'changed')).toMatchObject({ state: 'SENDING', lastGoodAt: null })
      write('100 W')
      await expect.poll(() => collectorOf('recovers', 'changed')).toMatchObject({ state: 'FAILING', error: { code: 'REFUSED' } })
      const failing = await collectorOf('recovers', 'changed')
      expect(failing?.error?.message).toMatch(/watts is "100 W"|watts.*expected/i)
      expect(Date.parse(failing?.lastGoodAt ?? '')).toBeLessThanOrEqual(Date.now())
      expect(agent.events.filter((one) => one.event === 'remark' && one.text.includes('PID namespaces'))).toHaveLength(1)
      const { out } = await own.run('host', 'show', 'recovers')
      expect(out).toMatch(/collectors of the agent\nCOLLECTOR +NAMESPACE +DOCUMENTS\nchanged +changed +failing, REFUSED: stats/)
      const { namespaces: all } = await seen('recovers')
      expect(all.find(({ namespace }) => namespace === 'changed')).toMatchObject({
        document: { watts: 100 },
        ageSeconds: expect.any(Number),
      })
      write(200)
      await expect.poll(() => documentOf('recovers', 'changed')).toEqual({ watts: 200 })
      await expect.poll(() => collectorOf('recovers', 'changed')).toMatchObject({ state: 'SENDING', error: null, lastGoodAt: null })
    } finally {
      await agent.end()
    }
  })

  test('the metrics of the service count hosts by collector, state and error', async () => {
    const agent = startAgent('counted', { crashes: 'process.exit(1)' })
    try {
      await expect.poll(() => collectorOf('counted', 'crashes')).toMatchObject({ state: 'FAILING' })
      const response = await fetch(new URL('/metrics', own.service.url), { headers: { Authorization: `Bearer ${ADMIN_KEY}` } })
      const text = await response.text()
      expect(text).toMatch(/^gantt_collectors\{collector="crashes",state="FAILING"\} \d+$/m)
      expect(text).toMatch(/^gantt_collector_errors\{collector="crashes",error="CRASHED"\} \d+$/m)
    } finally {
      await agent.end()
    }
  })
})

describe('a namespace that no profile reads', () => {
  const NOT_SENT = 'The host does not send the namespace unread, because no profile in use reads it: its collector is paused.'
  const request = { gantt: { flavor: { vcpus: 1, memoryMb: 64 }, forceHosts: ['paused'], forceVerify: 'ALL' } }
  const EXPLAINED = 'reasons { code text } verdicts(first: 5) { nodes { hostName weights { weigher missing } } }'
  interface Explained {
    readonly reasons: readonly { readonly code: string; readonly text: string }[]
    readonly verdicts: {
      readonly nodes: readonly { readonly weights: readonly { readonly weigher: string; readonly missing: string | null }[] }[]
    }
  }

  /** Simulates the request under the default profile with other filters and weighers. */
  async function simulate(change: Readonly<Record<string, readonly unknown[]>>): Promise<Explained> {
    const query = `query ($input: SimulateInput!) { simulate(input: $input) { decisions(first: 1) { explanation { ${EXPLAINED} } } } }`
    const { simulate: simulation } = await own.service.client.request<{
      simulate: { decisions: readonly { explanation: Explained }[] }
    }>(query, { input: { requests: [{ spec: request }], profileChanges: change } })
    const [decision] = simulation.decisions
    if (decision === undefined) throw new Error('the simulation has no decision')
    return decision.explanation
  }
  const explain = async (profile: string): Promise<Explained> => {
    const query = `query ($input: ExplainPlacementInput!) { explainPlacement(input: $input) { ${EXPLAINED} } }`
    const input = { profile, subject: { spec: request } }
    return (await own.service.client.request<{ explainPlacement: Explained }>(query, { input })).explainPlacement
  }

  test('is not sent, the host and the reasons say so, and a profile that reads it gets it within a minute', async () => {
    // while the gate is closed, the agent gets no answers
    let gate: Promise<void> = Promise.resolve()
    const gated: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      await gate
      return response
    }
    const agent = startAgent('paused', { unread: steady }, { clock: fastClock, fetch: gated })
    try {
      await expect.poll(() => collectorOf('paused', 'unread')).toMatchObject({ state: 'PAUSED', intervalSeconds: null, error: null })
      expect(await documentOf('paused', 'unread')).toBeUndefined()
      expect((await own.run('host', 'show', 'paused')).out).toMatch(/unread +unread +not sent: no profile in use reads them/)
      // the document is not sent for a profile that is not in use, because the profile is only simulated
      const filtered = await simulate({ filters: [{ name: 'ComputeFilter' }, { name: 'UnreadFilter' }] })
      expect(filtered.reasons).toContainEqual({ code: 'namespace.not_sent', text: NOT_SENT })
      const weighed = await simulate({ filters: [{ name: 'ComputeFilter' }], weighers: [{ name: 'UnreadWeigher', multiplier: 1 }] })
      expect(weighed.verdicts.nodes[0]?.weights).toEqual([{ weigher: 'UnreadWeigher', missing: NOT_SENT }])
      let open: () => void = () => undefined
      gate = new Promise((resolve) => {
        open = resolve
      })
      await createProfile('reader', ['UnreadWeigher'], ['UnreadFilter'])
      // until the agent has learned of the profile, an explanation says that the namespace is not sent yet, and which profile reads it
      expect((await explain('reader')).reasons).toContainEqual({
        code: 'namespace.not_sent',
        text: expect.stringMatching(/yet, although the profile reader@\d+ reads it/),
      })
      const openedAt = fastClock.now()
      open()
      await expect.poll(() => documentOf('paused', 'unread')).toEqual({ watts: 5 })
      expect(fastClock.now() - openedAt).toBeLessThan(60_000)
      await expect.poll(() => collectorOf('paused', 'unread')).toMatchObject({ state: 'SENDING' })
    } finally {
      await agent.end()
    }
  })

  test('is sent at the slow interval if the operator set it so', async () => {
    const agent = startAgent('slowed', {
      slow: { command: [process.execPath, '-e', steady], whileUnread: 'slow', slowIntervalSeconds: 300 },
    })
    try {
      await expect.poll(() => collectorOf('slowed', 'slow')).toMatchObject({ state: 'SLOWED', intervalSeconds: 300 })
      expect(await documentOf('slowed', 'slow')).toEqual({ watts: 5 })
    } finally {
      await agent.end()
    }
  })
})

test('settings without collectors remove the states that an earlier agent reported', async () => {
  const first = startAgent('emptied', { unread: steady })
  try {
    await expect.poll(() => collectorOf('emptied', 'unread')).toBeDefined()
  } finally {
    await first.end()
  }
  const second = startAgent('emptied', {})
  try {
    await expect.poll(async () => (await seen('emptied')).collectors).toEqual([])
  } finally {
    await second.end()
  }
  const file = path.join(folder, 'once-emptied.toml')
  writeFileSync(file, '[[collectors]]\nname = "unread"\nnamespace = "unread"\ncommand = ["/bin/true"]\n')
  await own.run('agent', '--once', '--name', 'once-emptied', '--collectors', file)
  expect((await seen('once-emptied')).collectors).toHaveLength(1)
  writeFileSync(file, 'collectors = []\n')
  const { code } = await own.run('agent', '--once', '--name', 'once-emptied', '--collectors', file)
  expect([code, (await seen('once-emptied')).collectors]).toEqual([0, []])
})

test('an agent that starts ends what the collectors of a killed agent left, including what they detached', async () => {
  await createProfile('lab', ['ReadWeigher'])
  const pids = path.join(folder, 'left')
  // in a namespace of its own a process has another number than on the machine, which /proc shows
  const writes = `require('node:fs').appendFileSync(${JSON.stringify(pids)}, require('node:fs').readlinkSync('/proc/self') + ' ')`
  const hangs = `${writes}; setInterval(() => {}, 1_000)
    require('node:child_process').spawn(process.execPath, ['-e', process.env.CHILD], { detached: true, stdio: 'ignore' })`
  const collectors = [
    {
      name: 'steady',
      namespace: 'steady',
      command: [process.execPath, '-e', hangs],
      env: { CHILD: `${writes}; setInterval(() => {}, 1_000)` },
      timeoutSeconds: 600,
    },
  ]
  const file = path.join(folder, 'left.json')
  writeFileSync(file, JSON.stringify({ collectors }))
  const command = [bin, 'agent', '--name', 'left', '--interval', '1', '--collectors', file]
  const killed = spawn(process.execPath, command, { env: { ...process.env, ...own.environment }, stdio: 'ignore' })
  const ended = once(killed, 'exit')
  const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  await expect.poll(() => existsSync(pids) && readFileSync(pids, 'utf8')).toMatch(/^\d+ \d+ $/)
  const left = readFileSync(pids, 'utf8').trim().split(' ').map(Number)
  killed.kill('SIGKILL')
  await ended
  expect(left.map(isRunning)).toEqual([true, true])
  const next = startAgent('left', {})
  try {
    await expect.poll(() => left.map(isRunning)).toEqual([false, false])
    const remarks = (): readonly string[] => next.events.flatMap((event) => (event.event === 'remark' ? [event.text] : []))
    for (const pid of left)
      await expect
        .poll(remarks)
        .toContainEqual(expect.stringMatching(new RegExp(`^process ${pid} \\(.*a collector of an earlier agent left, was ended$`)))
  } finally {
    await next.end()
    for (const pid of left.filter(isRunning)) process.kill(pid, 'SIGKILL')
  }
})

describe('an agent that reports once, or only shows what it would report', () => {
  const write = (name: string, collectors: readonly object[]): string => {
    const file = path.join(folder, name)
    writeFileSync(file, JSON.stringify({ collectors }))
    return file
  }
  const collector = (name: string, script: string) => ({ name, namespace: name, command: [process.execPath, '-e', script] })

  test('--once sends what profiles read, and names what it does not send and what failed', async () => {
    await createProfile('lab', ['ReadWeigher'])
    const file = write('once.json', [collector('steady', steady), collector('slow', steady), collector('crashes', 'process.exit(4)')])
    const { out, code } = await own.run('agent', '--once', '--name', 'once', '--collectors', file)
    expect(out).toContain('collector steady (namespace steady): sent\n')
    expect(out).toContain('collector slow (namespace slow): not sent, because no profile reads the namespace\n')
    expect(out).toMatch(/collector crashes \(namespace crashes\) failed, CRASHED: it ended with code 4/)
    expect(code).toBe(1)
    expect((await seen('once')).collectors.map(({ name, state }) => [name, state])).toEqual([
      ['steady', 'SENDING'],
      ['slow', 'PAUSED'],
      ['crashes', 'FAILING'],
    ])
    expect(await documentOf('once', 'steady')).toEqual({ watts: 5 })
  })

  test('--once names every outcome and has the exit code of the failed call, if one call fails', async () => {
    await createProfile('lab', ['ReadWeigher'])
    // the service refuses each call about the namespace hangs as a whole
    const proxy = http.createServer(async (request, response) => {
      const body = (await request.toArray()).join('')
      const fault = { message: 'a fault', extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }
      const headers = { 'Content-Type': 'application/json', Authorization: request.headers.authorization ?? '' }
      const isRefused = body.includes('"namespace":"hangs"') && !body.includes('"namespace":"collectors"')
      const answer = isRefused
        ? JSON.stringify({ errors: [fault] })
        : await (await fetch(own.service.url, { method: 'POST', headers, body })).text()
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(answer)
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    try {
      const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/graphql`
      const file = write('lost.json', [collector('hangs', steady), collector('steady', steady), collector('crashes', 'process.exit(4)')])
      const { out, err, code } = await own.run('agent', '--once', '--name', 'lost', '--collectors', file, '--url', url)
      expect(out).toContain('collector hangs (namespace hangs): not sent: a fault\n')
      expect(out).toContain('collector steady (namespace steady): sent\n')
      expect(out).toMatch(/collector crashes \(namespace crashes\) failed, CRASHED: it ended with code 4/)
      expect([err, code]).toEqual(['', 2])
      expect((await seen('lost')).collectors.map(({ state }) => state)).toEqual(['WAITING', 'SENDING', 'FAILING'])
    } finally {
      proxy.close()
    }
  })

  test('--print shows the documents, and sends nothing', async () => {
    const file = write('print.json', [collector('steady', steady)])
    const { out, code } = await own.run('agent', '--print', '--name', 'printed', '--collectors', file)
    expect([out.slice(out.indexOf('collector steady')), code]).toEqual([
      'collector steady (namespace steady), version 1.0\n{\n  "watts": 5\n}\n',
      0,
    ])
    expect(await seen('printed')).toEqual({ collectors: [], namespaces: [] })
  })

  test('--print shows the documents and the machine also if the service cannot be reached', async () => {
    const file = write('alone.json', [collector('steady', steady)])
    const { out, code } = await own.run('agent', '--print', '--name', 'alone', '--collectors', file, '--url', 'http://127.0.0.1:1/graphql')
    expect(out.replaceAll(/\s+/g, ' ')).toContain('Which fields the profiles need is not known: the service cannot be reached')
    expect([out.slice(out.indexOf('collector steady')), code]).toEqual([
      'collector steady (namespace steady), version 1.0\n{\n  "watts": 5\n}\n',
      3,
    ])
  })

  test('wrong settings are refused before anything is sent', async () => {
    const file = write('wrong.json', [{ ...collector('steady', steady), intervalSeconds: 0 }])
    const { err, code } = await own.run('agent', '--once', '--name', 'wrong', '--collectors', file)
    expect([err, code]).toEqual([expect.stringMatching(/wrong\.json: collectors\.0\.intervalSeconds is 0; it must be/), 2])
  })

  test('a module and a collector of the agent run in a process of their own', async () => {
    const module = path.join(folder, 'own.mjs')
    writeFileSync(
      module,
      "console.log('a note'); export default ({ host, options }) => ({ version: '1.0', document: { watts: options.watts, host, pid: process.pid } })",
    )
    writeFileSync(path.join(folder, 'broken.mjs'), "import './none.mjs'")
    writeFileSync(path.join(folder, 'endless.mjs'), "export default () => ({ version: '1.0', document: { watts: 1 / 0 } })")
    const facts = path.join(folder, 'facts')
    mkdirSync(facts)
    writeFileSync(path.join(facts, 'a.toml'), 'watts = 7\n')
    const file = write('modules.json', [
      { name: 'own', namespace: 'steady', module: './own.mjs', options: { watts: 3 } },
      { name: 'files', namespace: 'slow', collector: 'files', options: { folder: facts, version: '1.0' } },
      { name: 'broken', namespace: 'floods', module: './broken.mjs' },
      { name: 'wrong', namespace: 'halves', collector: 'files', options: { folder: path.join(folder, 'none'), version: '1.0' } },
      { name: 'endless', namespace: 'hangs', module: './endless.mjs' },
    ])
    const { collectors } = JSON.parse((await own.run('agent', '--print', '--name', 'modules', '--collectors', file, '--json')).out)
    expect(collectors[0].error).toBeUndefined()
    expect(collectors[0].collected).toEqual({ version: '1.0', document: { watts: 3, host: 'modules', pid: expect.any(Number) } })
    expect(collectors[0].collected.document.pid).not.toBe(process.pid)
    expect(collectors[1].collected).toEqual({ version: '1.0', document: { watts: 7 } })
    expect(collectors[2].error).toMatchObject({ code: 'CRASHED', text: expect.stringContaining('none.mjs') })
    expect(collectors[3].error).toMatchObject({ code: 'CRASHED', text: expect.stringContaining('ENOENT') })
    // JSON would have null in its place
    expect(collectors[4].error).toMatchObject({
      code: 'CRASHED',
      text: expect.stringContaining('watts is Infinity; a number must be finite'),
    })
  })
})
