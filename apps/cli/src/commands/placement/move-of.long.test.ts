import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { type CommandOutput, oneLine, widthOf } from '../../testing/gantt.ts'
import { useOwnService } from '../../testing/own-service.ts'

// the hosts of these tests report only once, and therefore all of them soon become silent
const own = useOwnService({ settings: { GANTT_LIVENESS: 'reports', GANTT_SUSPECT_AFTER: '3', GANTT_DOWN_AFTER: '6' } })
const { run } = own

interface Placed {
  readonly id: string
  readonly short: string
  readonly host: string
}

type Answer = { destinations: { selected: { host: { name: string }; claim: { id: string } } }[] }

/** Places an instance with one CPU and confirms its claim. `args` are further options of `gantt select`. */
async function place(...args: readonly string[]): Promise<Placed> {
  const output = await run('select', '--vcpus', '1', '--memory-mb', '512', '--confirm', '--json', ...args)
  return placedBy(output)
}

function placedBy(output: CommandOutput): Placed {
  const selected = oneLine<Answer>(output).destinations[0]?.selected
  const id = selected?.claim.id ?? ''
  return { id, short: Buffer.from(id, 'base64url').toString().split(':').at(-1) ?? '', host: selected?.host.name ?? '' }
}

/** Places an instance on a host by forcing that host. */
async function placeOn(host: string, spec: Readonly<Record<string, unknown>> = {}): Promise<Placed> {
  const file = path.join(own.folder, `${host}-${Math.random()}.json`)
  fs.writeFileSync(file, JSON.stringify({ flavor: { vcpus: 1, memoryMb: 512 }, forceHosts: [host], ...spec }))
  return placedBy(await run('select', '--spec', file, '--confirm', '--json'))
}

const claimOf = async (id: string) => {
  const { claim } = await own.service.client.request<{ claim: { state: string; reason: string | null; host: { name: string } } }>(
    'query ($id: ID!) { claim(id: $id) { state reason host { name } } }',
    { id },
  )
  return claim
}

describe('a move', () => {
  test("a move uses the claim's original request, shows how the move can end, and is confirmed", async () => {
    const first = await place('--zone', 'az1')
    const output = await run('select', '--intent', 'live-migrate', '--move-of', first.short)
    expect([output.err, output.code, widthOf(output.out) <= 80]).toEqual(['', 0, true])
    const [, there = ''] = /To move: {4}gantt claims confirm ([0-9a-f-]{36})\n/.exec(output.out) ?? []
    expect(output.out).toContain(`To stay:    gantt claims revert ${there}\n`)
    const listed = await run('claims', 'list', '--host', first.host)
    expect(listed.out).toMatch(new RegExp(`Moving from ${first.host} to \\S+: confirm or revert\\s${there}`))
    expect((await run('claims', 'confirm', there)).code).toBe(0)
    expect(await claimOf(first.id)).toMatchObject({ state: 'RELEASED', reason: 'moved' })
    const { host } = await claimOf(there)
    expect([host.name.startsWith('az1'), host.name === first.host]).toEqual([true, false])
  })

  test.each(['its source', 'its destination'])('a move is reverted with the claim at %s', async (end) => {
    const first = await place()
    const there = placedBy(await run('select', '--intent', 'COLD_MIGRATE', '--move-of', first.id, '--json'))
    const output = await run('claims', 'revert', end === 'its source' ? first.short : there.short)
    expect([output.code, output.out]).toEqual([0, expect.stringMatching(/RELEASED +move reverted\n/)])
    expect(await claimOf(first.id)).toMatchObject({ state: 'CONFIRMED' })
    const again = await run('claims', 'revert', first.short)
    expect([again.err, again.code]).toEqual([`error: claim ${first.short} is not moving; nothing was changed\n`, 1])
  })

  test('a move for a request of version 1.1 uses the fields of that version', async () => {
    const first = await placeOn('az1-a', { forceVerify: 'HARD', pciRequests: [] })
    const output = await run('select', '--intent', 'live-migrate', '--move-of', first.short)
    expect([output.err, output.code]).toEqual(['', 0])
  })

  test("a move for a request in Nova's form keeps the document, and the options change it", async () => {
    const wire = (name: string, version: string, data: object) => ({
      'nova_object.name': name,
      'nova_object.namespace': 'nova',
      'nova_object.version': version,
      'nova_object.data': data,
    })
    const flavor = { name: 'm1', vcpus: 1, memory_mb: 512, root_gb: 1, ephemeral_gb: 0, swap: 0, extra_specs: {} }
    const cell = wire('CellMapping', '1.1', { uuid: '00000000-0000-4000-8000-000000000040' })
    const file = path.join(own.folder, 'nova.json')
    fs.writeFileSync(
      file,
      JSON.stringify(
        wire('RequestSpec', '1.14', {
          ...{ flavor: wire('Flavor', '1.2', flavor), num_instances: 1, force_hosts: ['az1-a'] },
          requested_destination: wire('Destination', '1.4', { cell, allow_cross_cell_move: true }),
        }),
      ),
    )
    const first = placedBy(await run('select', '--spec', file, '--confirm', '--json'))
    expect(first.host).toBe('az1-a')
    const there = placedBy(await run('select', '--intent', 'resize', '--move-of', first.id, '--vcpus', '2', '--json'))
    const { claim } = await own.service.client.request<{ claim: { decision: { spec: { document: Record<string, unknown> } } } }>(
      'query ($id: ID!) { claim(id: $id) { decision { spec { document } } } }',
      { id: there.id },
    )
    expect(claim.decision.spec.document).toMatchObject({
      flavor: { vcpus: 2, memoryMb: 512 },
      nova: {
        form: 'RequestSpec',
        document: {
          'nova_object.data': {
            ...{ force_hosts: [], requested_destination: { 'nova_object.data': { cell } } },
            flavor: { 'nova_object.data': { vcpus: 2 } },
          },
        },
      },
    })
  })

  test('a resize uses the amounts in the options, and the amounts of the original request where no option is given', async () => {
    const first = await place()
    const there = placedBy(await run('select', '--intent', 'resize', '--move-of', first.id, '--vcpus', '3', '--confirm', '--json'))
    expect((await run('claims', '--host', there.host)).out).toMatch(new RegExp(`${there.short} +${there.host} +CONFIRMED +3/512MiB`))
  })

  test('an impossible move is refused: an unknown claim, several instances, or no claim', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000'
    expect((await run('select', '--intent', 'evacuate', '--move-of', unknown)).err).toBe(
      `error: there is no claim ${unknown}; nothing was changed\n`,
    )
    const { short } = await place()
    expect((await run('select', '--intent', 'evacuate', '--move-of', short, '--count', '2')).code).toBe(2)
    const none = await run('select', '--intent', 'evacuate', '--vcpus', '1', '--memory-mb', '512')
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('the claim that the intent EVACUATE concerns')])
  })

  test('a request with the intent PROBE creates no claim', async () => {
    const output = await run('select', '--intent', 'probe', '--vcpus', '1', '--memory-mb', '512', '--json')
    expect(oneLine(output)).toMatchObject({ destinations: [{ selected: { claim: null } }] })
  })
})

test('operators revoke a claim, and the list of revoked claims shows the reason', async () => {
  const { short } = await place('--zone', 'az1')
  const revoked = await run('claims', 'revoke', short, '--reason', 'rack 4 burns')
  expect([revoked.code, revoked.out]).toEqual([0, expect.stringMatching(/\n\S{36} +\S+ +REVOKED +rack 4 burns\n/)])
  const listed = await run('claims', '--state', 'REVOKED')
  expect([widthOf(listed.out) <= 80, listed.out]).toEqual([
    true,
    expect.stringMatching(new RegExp(`${short} +\\S+ +REVOKED +rack 4 burns\n`)),
  ])
  expect((await run('claims', 'revoke', short)).err).toContain("'--reason <text>' not specified")
})

describe('server groups', () => {
  const uuid = '3f0c1f0e-6d0e-4f6e-9b43-0a3c61a1d0aa'
  const join = ['--group', uuid, '--policy', 'soft-anti-affinity'] as const
  let two: Placed[]

  test('claims can be put into a group, which is listed and shown', async () => {
    two = [await placeOn('az2-a'), await placeOn('az2-a')]
    const ids = two.map(({ short }) => short)
    const dry = await run('claims', 'set-group', ...ids, ...join, '--dry-run')
    expect([dry.code, dry.out]).toEqual([0, expect.stringContaining('Nothing was changed. It would change 2 claims of 2.')])
    expect((await run('groups', 'list')).out).toBe('No server group has members.\n')
    expect((await run('claims', 'set-group', ...ids, ...join)).code).toBe(0)
    expect((await run('groups', 'list')).out).toMatch(new RegExp(`\n${uuid} +SOFT_ANTI_AFFINITY +- +2 +1\n`))
    const shown = await run('groups', 'show', uuid)
    expect(shown.out).toMatch(/rule +SOFT_ANTI_AFFINITY\n[\s\S]*\naz2-a +2\n/)
    expect((await run('groups', 'show', '3f0c1f0e-6d0e-4f6e-9b43-0a3c61a1d0bb')).code).toBe(2)
  })

  test('groups list and groups show print the groups whose hosts a group must avoid', async () => {
    const [keeping, other] = ['3f0c1f0e-6d0e-4f6e-9b43-0a3c61a1d0c1', '3f0c1f0e-6d0e-4f6e-9b43-0a3c61a1d0c2']
    const spec = {
      flavor: { vcpus: 1, memoryMb: 64 },
      instanceGroup: { uuid: keeping, policy: 'SOFT_AFFINITY', apartFrom: [other] },
    }
    const file = path.join(own.folder, 'apart.json')
    fs.writeFileSync(file, JSON.stringify(spec))
    expect((await run('select', '--spec', file)).code).toBe(0)
    const listed = await run('groups', 'list')
    expect([widthOf(listed.out) <= 80, listed.out.replace(/\s+/g, ' ')]).toEqual([
      true,
      expect.stringContaining(`${keeping} shares no host with ${other}.`),
    ])
    expect((await run('groups', 'show', keeping)).out).toMatch(new RegExp(`\napart from +${other}\n`))
  })

  test('a new policy that members violate is refused with the hosts, and one that they comply with is applied', async () => {
    for (const dryRun of [['--dry-run'], []]) {
      const refused = await run('groups', 'update', uuid, '--policy', 'anti-affinity', ...dryRun)
      expect([refused.code, refused.err]).toEqual([1, ''])
      expect(refused.out).toMatch(/would\s+break\s+its\s+rule[\s\S]*\naz2-a +2\n\n1 host conflicts with the new rule\.\n$/)
      expect(widthOf(refused.out)).toBeLessThanOrEqual(80)
    }
    const most = ['--policy', 'anti-affinity', '--max-per-host', '2']
    expect((await run('groups', 'update', uuid, ...most, '--dry-run')).out).toContain(
      'Nothing was changed. All members satisfy the new rule',
    )
    expect(oneLine(await run('groups', 'update', uuid, ...most, '--json'))).toMatchObject({
      serverGroup: { version: 4, maxServerPerHost: 2 },
    })
    const third = await placeOn('az2-a')
    const full = await run('claims', 'set-group', third.short, '--group', uuid, ...most)
    expect([full.code, full.out]).toEqual([1, expect.stringMatching(/az2-a\s+has\s+2\s+members/)])
    expect((await run('claims', 'set-group', ...two.map(({ short }) => short), '--none')).code).toBe(0)
    expect((await run('claims', 'set-group', third.short)).err).toContain('give --group and --policy, or --none')
  })
})

describe('evacuation of a host', () => {
  test('a dry run of an evacuation shows where each claim would move, and what would stay', async () => {
    const held = oneLine<{ claims: { id: string }[] }>(await run('claims', '--all', '--json')).claims
    await run('claims', 'release', ...held.map(({ id }) => id))
    await placeOn('az2-gpu', { flavor: { vcpus: 8, memoryMb: 1_024 }, gpus: { count: 1 } })
    await placeOn('az2-gpu')
    const dry = await run('host', 'evacuate', 'az2-gpu', '--dry-run')
    expect([dry.err, dry.code, widthOf(dry.out) <= 80]).toEqual(['', 1, true])
    expect(dry.out).toMatch(/^CLAIM +WOULD GO TO\n\S{36} +az\S+\n\nCLAIM +WOULD STAY\n\S{36} +No host can take/)
    expect(dry.out).toMatch(/\n +5 +GpuFilter +1 GPU needed/)
    expect(dry.out).toContain('\n1 of 2 claims would go elsewhere. Nothing was changed.\n')
    expect(oneLine(await run('claims', '--host', 'az2-gpu', '--json'))).toMatchObject({ claims: [{ movingTo: null }, { movingTo: null }] })
  })

  test('an evacuation creates claims on other hosts, and prints the command that confirms them after the move', async () => {
    const output = await run('host', 'evacuate', 'az2-gpu')
    expect([output.code, widthOf(output.out) <= 80]).toEqual([1, true])
    const [, there = ''] =
      /Once the instances run on their new hosts:\n {2}gantt claims confirm \\\n {4}([0-9a-f-]{36})\n/.exec(output.out) ?? []
    expect((await run('claims', 'confirm', there)).code).toBe(0)
    const again = oneLine<{ moves: { result: { __typename: string } }[] }>(await run('host', 'evacuate', 'az2-gpu', '--confirm', '--json'))
    expect(again.moves.map(({ result }) => result.__typename)).toEqual(['NoValidHost'])
    expect((await run('host', 'evacuate', 'nobody')).code).toBe(2)
  })

  test('an evacuation of a host without claims reports that there is nothing to evacuate', async () => {
    const name = 'az2-a-host-with-a-name-that-no-terminal-has-room-for.rack7.example.org'
    expect((await run('host', 'evacuate', name)).out).toBe(`No claim is on ${name}.\n`)
  })
})

test('liveness shows silent and withheld hosts, operators can confirm that they are down, and a heartbeat makes a host UP', async () => {
  // because the whole fleet is silent, the service sets hosts SUSPECT but none DOWN
  await expect.poll(async () => (await run('liveness')).out, { interval: 250 }).toMatch(/DOWN\s+awaits\s+confirmation/)
  const { out, code } = await run('liveness')
  expect(code).toBe(0)
  expect(out).toMatch(
    /^source +reports: .*\nup +0\nsuspect +6, silent for 3 s or longer.*\n[\s\S]*\n6 silent hosts\.\n\nWarning: 6 of 6 hosts/,
  )
  expect((await run('liveness', '--confirm', 'az1-a')).err).toContain('--reason is missing')
  const confirmed = await run('liveness', '--confirm', 'az1-a', '--reason', 'no power')
  expect([confirmed.code, confirmed.out]).toEqual([0, expect.stringMatching(/\naz1-a +DOWN +no power; silent since 20/)])
  expect((await run('host', 'show', 'az1-a')).out).toMatch(/\nstate +DOWN: no power; silent since 20/)
  const output = await run('select', '--vcpus', '1', '--memory-mb', '512', '--count', '12', '--advice', '--json')
  expect(oneLine<Answer>(output).destinations.map(({ selected }) => selected.host.name)).not.toContain('az1-a')
  await own.service.client.request('mutation { hostHeartbeat(hosts: [{ host: "az1-a" }]) { heard } }')
  const alive = await run('liveness', '--confirm', 'az1-a', '--reason', 'no power', '--json')
  // the host can become silent again, so both exit codes are possible
  expect([0, 2]).toContain(alive.code)
})

test('health shows the mode of the replica, and log shows how far back the log reaches', async () => {
  const health = await run('health')
  expect([health.code, health.out]).toEqual([
    0,
    expect.stringMatching(/^mode +NORMAL: .*\nlag +its state was last known to be current .* s ago/),
  ])
  expect(oneLine(await run('health', '--json'))).toMatchObject({ mode: 'NORMAL', reason: null })
  expect((await run('log')).out).toMatch(
    /^reaches back to +the beginning of the log; the first entry is\s+from\s+20\S+,[\s\S]*\nis kept +7 days/,
  )
  expect(oneLine(await run('log', '--json'))).toMatchObject({ keptDays: 7, rowsSetAside: 0 })
})

test.each([
  ['groups', 'list'],
  ['groups', 'show'],
  ['groups', 'update'],
  ['claims', 'list'],
  ['claims', 'revert'],
  ['claims', 'revoke'],
  ['claims', 'set-group'],
  ['host', 'evacuate'],
  ['liveness'],
  ['health'],
  ['findings'],
  ['log'],
])('help of %s %s has examples', async (...names) => {
  const { out, code } = await run(...names.filter(Boolean), '--help')
  expect([code, out]).toEqual([0, expect.stringContaining('\nExamples:\n')])
})

// this test is last, because the host that it reports is UP and would change the results of the liveness test above
test('a warning about instances without a claim comes first, because these instances stay and the host is not empty', async () => {
  const instances = [crypto.randomUUID(), crypto.randomUUID()]
  const machine = { vcpus: 16, vcpusUsed: 2, memoryMb: 65_536, memoryMbUsed: 1_024, localGb: 1_024, localGbUsed: 0 }
  await own.service.client.request(
    'mutation ($updates: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $updates }) { appliedCount } }',
    {
      updates: [
        {
          name: { host: 'legacy' },
          reporter: { incarnation: crypto.randomUUID(), sequence: 1 },
          report: { full: { ...machine, runningVms: 2, instances } },
        },
      ],
    },
  )
  for (const flags of [['--dry-run'], []]) {
    const { out, code } = await run('host', 'evacuate', 'legacy', ...flags)
    expect([code, widthOf(out) <= 80]).toEqual([1, true])
    expect(out).toMatch(/^WARNING: 2 instances on legacy WILL NOT MOVE: no claim covers them\.\n/)
    expect(out).toContain('\nNo claim is on legacy.\n')
  }
  expect(oneLine(await run('host', 'evacuate', 'legacy', '--dry-run', '--json'))).toMatchObject({ instancesWithoutClaims: 2, moves: [] })
})
