import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { type AgentEvent, checkClaims, createMachineReporter, type MachineReporter, type Picture } from '@gantt/agent'
import { createGantt } from '@gantt/client'
import { describe, expect, test } from 'vitest'
import { ADMIN_KEY } from '../../../../../packages/proofs/src/processes/service.ts'
import { oneLine, widthOf } from '../../testing/gantt.ts'
import { useOwnService } from '../../testing/own-service.ts'
import { offer, seenBy, thisMachine } from './testing/machine.ts'

const own = useOwnService({ withFleet: false })
const { run } = own
const seen = (name: string) => seenBy(own, name)

const ACTIVATE = 'mutation ($version: ID!) { profileActivate(version: $version) { __typename } }'
const CREATE = `mutation ($input: ProfileVersionInput!) { profileVersionCreate(profile: "default", input: $input) {
  __typename ... on ProfilePayload { version { id } } } }`

/** Activates a profile that reads only the resource classes of hosts, so agents may omit all other fields from their reports. */
async function needLess(): Promise<void> {
  const input = {
    note: 'plain machines',
    filters: [{ name: 'ComputeFilter' }],
    weighers: [{ name: 'RAMWeigher', multiplier: 1 }],
    collects: ['CLASSES'],
  }
  const { profileVersionCreate } = await own.service.client.request<{ profileVersionCreate: { version: { id: string } } }>(CREATE, {
    input,
  })
  await own.service.client.request(ACTIVATE, { version: profileVersionCreate.version.id })
}

const needAsBefore = (): Promise<unknown> => own.service.client.request(ACTIVATE, { version: 'default@0' })

/** The output of another program that describes this machine. */
const outputOf = (file: string, ...args: readonly string[]): string =>
  execFileSync(file, args, { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } })

/** The memory of each NUMA cell in MiB. It is read each time, because a machine may get more memory while it runs. */
const cellsNow = (): readonly number[] =>
  fs.readdirSync('/sys/devices/system/node').flatMap((name) => {
    if (!/^node\d+$/.test(name)) return []
    const kib = /MemTotal:\s+(\d+) kB/.exec(fs.readFileSync(`/sys/devices/system/node/${name}/meminfo`, 'utf8'))?.[1]
    return [Math.floor(Number(kib) / 1_024)]
  })

test('capacity of a fleet without hosts states that there are none, and shows no empty tables', async () => {
  const { out, code } = await own.run('capacity', '--vcpus', '1', '--memory-mb', '512')
  expect([code, out.replace(/\s+/g, ' ')]).toEqual([
    1,
    expect.stringMatching(
      /^0 more fit, on 0 hosts, at revision \d+\. The fleet has no hosts: none has reported, or all were forgotten\. [^\n]*one\. $/,
    ),
  ])
})

test('the report of this machine agrees with what other programs show', async (context) => {
  if (!fs.existsSync('/sys/devices/system/node/online')) return context.skip('this machine shows no NUMA cells')
  const before = cellsNow()
  const { out, err, code } = await run('agent', '--once', '--name', 'this-machine')
  const after = cellsNow()
  expect([err, code]).toEqual(['', 0])
  expect(out).toContain('Claims on this host: 0, none over a limit.')
  const host = await seen('this-machine')
  expect(host?.stats.vcpus).toBe(Number(outputOf('nproc', '--all')))
  expect(host?.stats.memoryMb).toBe(
    Math.floor(Number(/^MemTotal:\s+(\d+) kB$/m.exec(fs.readFileSync('/proc/meminfo', 'utf8'))?.[1]) / 1_024),
  )
  // lscpu: one line for each CPU, with its cell
  const rows = outputOf('lscpu', '-p=CPU,NODE')
    .split('\n')
    .filter((line) => /^\d/.test(line))
    .map((line) => line.split(',').map(Number))
  const cells = host?.numa?.cells ?? []
  expect(cells.length).toBe(before.length)
  for (const { id, cpus } of cells) expect(cpus).toEqual(rows.filter(([, cell = 0]) => cell === id).map(([cpu]) => cpu))
  host?.stats.numaCells.forEach(({ memoryMb }, i) => {
    expect(memoryMb).toBeGreaterThanOrEqual(Math.min(before[i] ?? 0, after[i] ?? 0))
    expect(memoryMb).toBeLessThanOrEqual(Math.max(before[i] ?? 0, after[i] ?? 0))
  })
})

test('the preview of a report fits 80 columns, and nothing is sent', async () => {
  const { out, code } = await run('agent', '--print', '--name', 'only-looked-at')
  expect(code).toBe(0)
  expect(out).toMatch(/^host +only-looked-at\nCPUs +\d+/)
  expect(out).toMatch(/full report +\d+ B\nneeded fields +\d+ B; left out: /)
  expect(widthOf(out.slice(0, out.indexOf('\n{\n')))).toBeLessThanOrEqual(80)
  expect(await seen('only-looked-at')).toBeNull()
})

test('a machine whose memory cannot be read is not reported, and the error names the file and the cause', async () => {
  const root = fs.mkdtempSync(path.join(own.folder, 'bare-'))
  fs.mkdirSync(path.join(root, 'proc'))
  fs.writeFileSync(path.join(root, 'proc/cpuinfo'), 'processor\t: 0\n')
  const { out, err, code } = await run('agent', '--once', '--root', root, '--name', 'bare')
  expect([out, code]).toEqual(['', 1])
  expect(err).toContain('the memory is not known: /proc/meminfo: ENOENT')
})

test.each([
  ['--pci', '8086', /It must be like 8086:154c/],
  ['--interval', '0', /It must be a whole number of 1 to 3600/],
  ['--cpu-ratio', '0', /It must be a number of 0.001 to 1000/],
  ['--host-ip', 'nonsense', /It must be an IPv4 or IPv6 address/],
  ['--host-ip', '10.0.0.256', /It must be an IPv4 or IPv6 address/],
  ['--seconds', '5', /option '--seconds' belongs to a fleet; it must be given with '--fleet <n>'/],
  ['--changing', '5', /option '--changing' belongs to a fleet; it must be given with '--fleet <n>'/],
])('%s %s is refused', async (option, value, why) => {
  const { err, code } = await run('agent', option, value)
  expect([err, code]).toEqual([expect.stringMatching(why), 2])
})

test('fifty simulated machines report each of their changes, and no report is refused or lost', async () => {
  const answer = oneLine<{
    machines: number
    reports: number
    refused: number
    lost: number
    bytesPerReport: number
    lag: { p99Ms: number | null }
  }>(await run('agent', '--fleet', '50', '--interval', '1', '--seconds', '3', '--name', 'sim', '--json'))
  expect(answer).toMatchObject({ machines: 50, refused: 0, lost: 0 })
  expect(answer.reports).toBeGreaterThan(50)
  expect(answer.lag.p99Ms).not.toBeNull()
  const { hosts } = await own.service.client.request<{ hosts: { totalCount: number } }>(
    '{ hosts(first: 1, query: "host:sim-*") { totalCount } }',
  )
  expect(hosts.totalCount).toBe(50)
})

describe('an agent that reads the machine only when the test calls reportNow', () => {
  /** An agent whose machine changes only if the test calls `see`. */
  function agentOf(
    host: string,
    key = ADMIN_KEY,
    fetch = globalThis.fetch,
    offered = { ...offer, nodeName: host },
  ): {
    readonly machine: MachineReporter
    readonly events: AgentEvent[]
    see(picture: Picture): void
  } {
    let picture = thisMachine
    const events: AgentEvent[] = []
    const machine = createMachineReporter({
      gantt: createGantt({ url: own.service.url, key, fetch }),
      name: { host },
      offer: offered,
      look: () => picture,
      intervalMs: 10_000,
      notify: (event) => void events.push(event),
      signal: new AbortController().signal,
    })
    return {
      machine,
      events,
      see: (next) => {
        picture = next
      },
    }
  }
  const formsOf = (events: readonly AgentEvent[]): readonly string[] =>
    events.flatMap((event) => (event.event === 'reported' ? [event.form] : []))
  const bytesOf = (events: readonly AgentEvent[]): readonly number[] =>
    events.flatMap((event) => (event.event === 'reported' ? [event.bytes] : []))

  test('the first report is complete, the second has only the needed fields, and then four heartbeats and a question follow', async () => {
    const { machine, events } = agentOf('look-1')
    for (let i = 0; i < 6; i++) expect(await machine.reportNow()).toBe(true)
    expect(formsOf(events)).toEqual(['full', 'full', 'heartbeat', 'heartbeat', 'heartbeat', 'heartbeat', 'question'])
    const [whole = 0, needed = 0] = bytesOf(events)
    expect(needed).toBeLessThan(whole)
  })

  test('if a new profile needs fewer fields, the next answer lists them, and a smaller report follows', async () => {
    const { machine, events, see } = agentOf('look-2')
    await machine.reportNow()
    const before = bytesOf(events).at(-1) ?? 0
    await needLess()
    try {
      // the answer to the next report, of any kind, contains the needed fields
      see({ ...thisMachine, cpuCount: { value: 77 } })
      await machine.reportNow()
      const after = bytesOf(events).at(-1) ?? 0
      expect(after).toBeLessThan(before)
      expect((await seen('look-2'))?.stats.omitted).toEqual(expect.arrayContaining(['numaCells', 'gpus', 'pciPools']))
    } finally {
      await needAsBefore()
    }
  })

  test('an agent begins a new incarnation if another agent reported the same host, and its reports are accepted', async () => {
    const first = agentOf('look-3')
    await first.machine.reportNow()
    await agentOf('look-3').machine.reportNow()
    first.see({ ...thisMachine, cpuCount: { value: 77 } })
    expect(await first.machine.reportNow()).toBe(true)
    expect(first.events.map(({ event }) => event)).toContain('superseded')
    expect((await seen('look-3'))?.stats.vcpus).toBe(77)
  })

  test('if an answer is lost, the report has taken effect, and the agent does not assume that another agent reports the host', async () => {
    let losses = 1
    const { machine, events } = agentOf('look-6', ADMIN_KEY, async (...call) => {
      const response = await fetch(...call)
      if (losses-- > 0) throw new TypeError('the connection broke')
      return response
    })
    expect(await machine.reportNow()).toBe(true)
    expect(await machine.reportNow()).toBe(true)
    expect(events.map(({ event }) => event)).not.toContain('superseded')
    expect(formsOf(events).at(-1)).toBe('heartbeat')
  })

  test('the PCI devices of claims are matched with those of the machine by the pool name', async () => {
    const part = {
      vendor: '8086',
      product: '154c',
      class: '020000',
      cell: undefined,
      type: 'type-VF',
      parts: 0,
      driver: 'vfio-pci',
    } as const
    const devices = ['0000:3b:02.0', '0000:3b:02.1'].map((address) => ({ ...part, address, isBootScreen: false }))
    const withDevices = { ...thisMachine, devices: { value: devices } }
    const tagged = { ...offer, nodeName: 'look-7', pci: [{ vendor: '8086', product: '154c', tags: { 'physical network': 'physnet/1' } }] }
    const { machine, see } = agentOf('look-7', ADMIN_KEY, globalThis.fetch, tagged)
    await machine.reportNow()
    see(withDevices)
    expect(await machine.reportNow()).toBe(true)
    const gantt = createGantt({ url: own.service.url, key: ADMIN_KEY })
    const spec = { properties: [{ key: 'vendor_id', value: '8086' }] }
    const placed = await gantt.selectDestinations({
      spec: { gantt: { flavor: { vcpus: 1, memoryMb: 64 }, forceHosts: ['look-7'], pciRequests: [{ count: 2, specs: [spec] }] } },
      claim: { mode: 'CONFIRM' },
    })
    expect(placed).toMatchObject({ __typename: 'SelectDestinationsPayload' })
    expect(await checkClaims(gantt, { host: 'look-7' }, withDevices, tagged)).toMatchObject({ claims: 1, overLimits: [] })
    const oneLeft = { ...thisMachine, devices: { value: devices.slice(1) } }
    expect(await checkClaims(gantt, { host: 'look-7' }, oneLeft, tagged)).toMatchObject({
      overLimits: [{ what: 'PCI devices 8086:154c:type-VF?physical%20network=physnet%2F1', held: 2, limit: 1 }],
    })
  })

  test('a report that the service refuses is logged with all of its errors', async () => {
    const { machine, events, see } = agentOf('look-4')
    see({ ...thisMachine, cpuCount: { value: 1_000_000 } })
    await machine.reportNow()
    expect(await machine.reportNow()).toBe(false)
    expect(events).toContainEqual({ event: 'refused', text: expect.stringContaining('vcpus') })
  })

  test('if the key is unknown, the failure is logged only once', async () => {
    const { machine, events } = agentOf('look-5', 'gantt_nobody')
    expect([await machine.reportNow(), await machine.reportNow()]).toEqual([false, false])
    expect(events.filter(({ event }) => event === 'failed').length).toBe(1)
  })
})
