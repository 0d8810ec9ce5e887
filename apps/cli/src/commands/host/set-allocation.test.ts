import fs from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { gantt, oneLine, widthOf } from '../../testing/gantt.ts'
import { useOwnService } from '../../testing/own-service.ts'

const own = useOwnService()
const { run } = own

const firstHost = async () => oneLine<{ hosts: { name: string }[] }>(await run('hosts', '--first', '1', '--json')).hosts[0]?.name ?? ''

interface Shown {
  readonly capacity: { readonly resourceClass: string; readonly allocationRatio: number; readonly ratioFrom: { readonly source: string } }[]
}
const vcpus = async (host: string) =>
  oneLine<Shown>(await run('host', 'show', host, '--json')).capacity.find(({ resourceClass }) => resourceClass === 'VCPU')

test('a ratio of a host can be previewed, set, shown with its author, and removed', async () => {
  const host = await firstHost()
  const before = await vcpus(host)
  const set = ['host', 'set-allocation', host, '--class', 'VCPU', '--reason', 'measured']
  const dry = await run(...set, '--ratio', '3.5', '--dry-run')
  expect([dry.err, dry.code, dry.out]).toEqual(['', 0, expect.stringContaining('Nothing was changed. The change would affect 1 host ')])
  expect(dry.out).toContain(`${host}: VCPU free `)
  expect(await vcpus(host)).toEqual(before)
  expect((await run(...set, '--ratio', '3.5')).code).toBe(0)
  expect(await vcpus(host)).toMatchObject({ allocationRatio: 3.5, ratioFrom: { source: 'HOST' } })
  const { out } = await run('host', 'show', host)
  expect(out.replace(/\s+/g, ' ')).toMatch(/VCPU ratio: this host \(set by \S+, 20\S+: measured\)/)
  expect(widthOf(out)).toBeLessThanOrEqual(80)
  expect((await run(...set, '--ratio', 'none')).code).toBe(0)
  expect(await vcpus(host)).toEqual(before)
})

test('for an invalid number, a missing value or an unknown class, the command exits with 2', async () => {
  const set = ['host', 'set-allocation', 'h', '--class', 'VCPU', '--reason', 'x']
  expect(await run(...set, '--ratio', 'many')).toMatchObject({ code: 2, err: expect.stringContaining('It must be a number, or "none"') })
  expect(await run(...set)).toMatchObject({ code: 2, err: expect.stringContaining('give --ratio or --reserved') })
  expect(await run('fleet-allocation', '--ratio', 'vcpu')).toMatchObject({ code: 2, err: expect.stringContaining('CLASS=NUMBER') })
  expect(await run('fleet-allocation', '--ratio', 'VCPU=8', '--dry-run')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--reason'),
  })
  const typo = ['fleet-allocation', '--ratio', 'VCPUS=8', '--reason', 'x', '--dry-run']
  expect(await run(...typo)).toMatchObject({ code: 2, err: expect.stringContaining('VCPU') })
  const { err, code } = await run(...typo)
  expect([code, err.replace(/\s+/g, ' ')]).toEqual([
    2,
    expect.stringContaining(
      'be VCPU, MEMORY_MB or DISK_GB: only for these classes, a document of Nova can omit the ratio and the reserved amount (a similar name is VCPU)',
    ),
  ])
})

test('an import writes the ratios of a nova.conf, and its dry run shows them', async () => {
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'gantt-conf-'))
  const file = path.join(folder, 'nova.conf')
  fs.writeFileSync(file, '[DEFAULT]\ncpu_allocation_ratio = 16\nreserved_host_disk_mb = 1500\n')
  const shown = await gantt({}, 'profile', 'import', file, '--dry-run', '--release', 'zed')
  expect(shown.out).toMatch(
    /\nRatios and reserved amounts of hosts[^\n]*\nRESOURCE +RATIO +RESERVED\nVCPU +16 +-\nDISK_GB +- +2 \(1 in use\)\nFor other values the/,
  )
  expect((await run('fleet-allocation')).out).toContain('Nothing is set')
  const written = await run('profile', 'import', file, '--name', 'conf', '--release', 'zed')
  expect([written.err, written.code]).toEqual(['', 0])
  expect(oneLine(await run('fleet-allocation', '--json'))).toMatchObject({
    version: 1,
    release: 'zed',
    classes: [
      { resourceClass: 'VCPU', ratio: 16, reserved: null },
      { resourceClass: 'DISK_GB', ratio: null, reserved: 2, reservedInUse: 1 },
    ],
    reason: 'Imported from nova.conf, read as Nova zed.',
  })
  fs.rmSync(folder, { recursive: true, force: true })
})

/** Sets the fleet's ratios as another operator, whatever the present version is. */
async function setByOther(): Promise<void> {
  const { client } = own.service
  const { fleetAllocation } = await client.request<{ fleetAllocation: { version: number } }>('{ fleetAllocation { version } }')
  await client.request(
    `mutation ($v: Int!, $input: FleetAllocationInput!) { fleetAllocationSet(ifVersion: $v, input: $input) { __typename } }`,
    { v: fleetAllocation.version, input: { classes: [{ resourceClass: 'VCPU', ratio: 2 }], reason: 'set by somebody else' } },
  )
}

/**
 * A proxy in front of the service. Before it forwards a call that `isMeant` selects, it sets the fleet's ratios as another operator would.
 */
async function openDoor(isMeant: (call: { readonly query: string; readonly variables: { readonly dryRun?: boolean } }) => boolean) {
  const server: Server = createServer((request, response) => {
    void (async () => {
      const body = await text(request)
      if (isMeant(JSON.parse(body))) await setByOther()
      const headers = { 'content-type': 'application/json', authorization: request.headers.authorization ?? '' }
      const answer = await fetch(own.service.url, { method: 'POST', headers, body })
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    environment: { ...own.environment, GANTT_URL: `http://127.0.0.1:${port}/graphql` },
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

const fleetRatio = async () => oneLine<{ reason: string }>(await run('fleet-allocation', '--json')).reason
const versionsOf = async (name: string) => (await run('profile', 'show', name, '--json')).code

test.each([
  ['before the dry run', true, 2, ''],
  [
    'between the dry run and the creation of the profile',
    false,
    0,
    'The profile is written as raced@1; its ratios and reserved amounts are not. ',
  ],
] as const)(
  'if another operator sets the ratios %s, an import writes nothing, or reports what it wrote',
  async (_when, tried, found, said) => {
    const folder = fs.mkdtempSync(path.join(tmpdir(), 'gantt-conf-'))
    const file = path.join(folder, 'nova.conf')
    fs.writeFileSync(file, '[DEFAULT]\ncpu_allocation_ratio = 16\n')
    const door = await openDoor(({ query, variables }) => query.includes('fleetAllocationSet') && variables.dryRun === tried)
    try {
      const { code, err } = await gantt(door.environment, 'profile', 'import', file, '--name', 'raced')
      expect(err.replace(/\s+/g, ' ')).toContain('changed since they were read')
      expect(err.replace(/\s+/g, ' ')).toContain(said)
      expect(code).toBe(1)
      expect(await fleetRatio()).toBe('set by somebody else')
      expect(await versionsOf('raced')).toBe(found)
    } finally {
      await door.close()
      fs.rmSync(folder, { recursive: true, force: true })
    }
  },
)
