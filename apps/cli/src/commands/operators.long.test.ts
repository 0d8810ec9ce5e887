import fs from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { gantt, oneLine, widthOf } from '../testing/gantt.ts'
import { useOwnService } from '../testing/own-service.ts'

// `db stop` must not stop a database that other tests use, so this service has its own database
const own = useOwnService({ ownDatabase: true })
const { run } = own

/** Reserves one CPU. Returns the claim and its host. */
async function reserve(): Promise<{ readonly id: string; readonly host: string }> {
  type Placed = { destinations: { selected: { host: { name: string }; claim: { id: string } } }[] }
  const [first] = oneLine<Placed>(await run('select', '--vcpus', '1', '--memory-mb', '512', '--json')).destinations
  return { id: first?.selected.claim.id ?? '', host: first?.selected.host.name ?? '' }
}

test('a claim is extended, confirmed, listed and released, and further changes of the claim are refused', async () => {
  const { id, host } = await reserve()
  const extended = await run('claims', 'extend', id, '--ttl', 'PT10M')
  expect([extended.err, extended.code, widthOf(extended.out) <= 80]).toEqual(['', 0, true])
  expect(extended.out).toMatch(/\n[0-9a-f-]{36} +\S+ +RESERVED +1\/512MiB +10 min\n/)
  expect(oneLine(await run('claims', 'confirm', id, '--json'))).toMatchObject({ results: [{ claim: { id, state: 'CONFIRMED' } }] })
  expect((await run('claims', '--host', host)).out).toMatch(/CONFIRMED +1\/512MiB +-\n/)
  expect((await run('claims', 'release', id, '--reason', 'given up')).code).toBe(0)
  const late = await run('claims', 'confirm', id)
  expect([late.out, late.code]).toEqual([expect.stringContaining('it is RELEASED'), 1])
  expect(oneLine(await run('claims', '--state', 'RELEASED', '--json'))).toMatchObject({ claims: [{ id }] })
})

test('claims on all pages are listed; many claims are released by one command, or none of them if one id is unknown', async () => {
  type Placed = { destinations: { selected: { claim: { id: string } } }[] }
  const ids: string[] = []
  for (let placed = 0; placed < 6; placed++)
    ids.push(
      ...oneLine<Placed>(await run('select', '--vcpus', '0', '--memory-mb', '1', '--count', '100', '--json')).destinations.map(
        ({ selected: { claim } }) => claim.id,
      ),
    )
  const unknown = '00000000-0000-4000-8000-000000000000'
  expect(oneLine<{ claims: unknown[] }>(await run('claims', '--all', '--json')).claims.length).toBeGreaterThanOrEqual(ids.length)
  const none = await run('claims', 'release', ...ids, unknown)
  expect([none.out, none.err, none.code]).toEqual(['', `error: there is no claim ${unknown}; nothing was changed\n`, 2])
  const { results } = oneLine<{ results: { claim: { state: string } }[] }>(await run('claims', 'release', ...ids, '--json'))
  expect(results.map(({ claim }) => claim.state)).toEqual(ids.map(() => 'RELEASED'))
})

test.each([
  ['host', 'show', 'nosuch'],
  ['claims', '--host', 'nosuch'],
  ['claims', '--host', 'az1-a/nosuch'],
])('gantt %s %s %s exits with 2, because the host does not exist', async (...words) => {
  const { out, err, code } = await run(...words)
  expect([out, code]).toEqual(['', 2])
  expect(err).toContain(`no host "${words.at(-1)}" has reported`)
})

test('the list of aggregates has every aggregate, and show prints the hosts of one', async () => {
  const { out } = await run('aggregates')
  expect(widthOf(out)).toBeLessThanOrEqual(80)
  expect(out).toMatch(/\n[0-9a-f-]{36} +zone-az2 +az2 +3 +kind=general\n/)
  const { aggregates } = oneLine<{ aggregates: { uuid: string }[] }>(await run('aggregates', '--json'))
  const shown = await run('aggregates', 'show', aggregates[0]?.uuid ?? '')
  expect([shown.code, shown.out]).toEqual([0, expect.stringContaining('hosts (3)  az1-a az1-b az1-c\n')])
  expect((await run('aggregates', 'show', '00000000-0000-4000-8000-000000000000')).code).toBe(2)
})

test('--at shows a past state with its revision for hosts, one host, aggregates and claims', async () => {
  const { id, host } = await reserve()
  const before = oneLine<{ asOf: { revision: string; at: string } }>(await run('hosts', '--at', '-0s', '--json')).asOf
  await run('claims', 'release', id, '--reason', 'given up')
  await run('host', 'set-status', host, '--status', 'DISABLED', '--reason', 'fan broken')
  const at = ['--at', before.revision]
  const head = `As it was at revision ${before.revision}, ${before.at}.\n`

  const claims = await run('claims', '--host', host, ...at)
  expect([claims.code, widthOf(claims.out) <= 80]).toEqual([0, true])
  expect(claims.out).toContain(head)
  expect(claims.out).toMatch(/RESERVED +1\/512MiB/)
  expect(oneLine(await run('claims', 'list', '--host', host, ...at, '--json'))).toMatchObject({ asOf: before, claims: [{ id }] })
  expect(oneLine(await run('claims', '--host', host, '--json'))).toMatchObject({ totalCount: 0 })

  expect((await run('host', 'show', host, ...at)).out).toMatch(/status +ENABLED\n/)
  expect((await run('host', 'show', host)).out).toMatch(/status +DISABLED: fan broken\n/)
  expect(oneLine(await run('host', 'show', host, ...at, '--json'))).toMatchObject({ asOf: before, name: host, claims: { totalCount: 1 } })
  const statuses = async (...more: string[]) =>
    oneLine<{ hosts: { name: string; status: string }[] }>(await run('hosts', '--name', host, ...more, '--json')).hosts.map(
      ({ status }) => status,
    )
  expect([await statuses(), await statuses(...at)]).toEqual([['DISABLED'], ['ENABLED']])
  expect((await run('hosts', ...at)).out).toContain(head)

  const list = oneLine<{ aggregates: { uuid: string }[] }>(await run('aggregates', ...at, '--json')).aggregates
  expect((await run('aggregates', 'show', list[0]?.uuid ?? '', ...at)).out).toContain(head)
  const none = await run('aggregates', '--at', '1')
  expect([none.code, none.out]).toEqual([0, expect.stringContaining('There was no aggregate.')])
  await run('host', 'set-status', host, '--status', 'ENABLED', '--reason', 'mended')
})

test('a moment that is invalid, in the future or before the first host is refused with a message', async () => {
  const bad = await run('hosts', '--at', 'yesterday')
  expect([bad.code, bad.err]).toEqual([2, expect.stringContaining('Write a revision (88123)')])
  expect((await run('claims', '--at', '2999-01-01')).err).toContain('This time is in the future.')
  const early = await run('host', 'show', 'nowhere', '--at', '1')
  expect([early.code, early.err]).toEqual([2, expect.stringContaining('no host "nowhere" had reported by revision 1')])
  const late = await run('hosts', '--at', '999999999')
  expect([late.code, late.out]).toEqual([2, ''])
  expect(late.err).toContain('999999999')
})

test('a host is shown with the computation of its free amounts, its NUMA cells, GPUs and aggregates', async () => {
  const { out, code } = await run('host', 'show', 'az2-gpu')
  expect(code).toBe(0)
  expect(widthOf(out)).toBeLessThanOrEqual(80)
  expect(out).toMatch(/\nMEMORY_MB +65536 +0 +1 +32768 +0 +32768\n/)
  expect(out).toMatch(/\n +1 +8-15 +- +8 +32\/32 GiB\n/)
  expect(out).toMatch(/\n0-1 +A10 +1000\/1000\n/)
  expect(out).toMatch(/\naggregates +zone-az2\n/)
  expect(out).toMatch(/\nmachine +Hypervisor QEMU, CPU model Icelake-Server, CPU vendor Intel, CPU\n +architecture x86_64\n/)
  expect(oneLine(await run('host', 'show', 'az1-a', '--json'))).toMatchObject({ name: 'az1-a', gpus: [] })
  expect((await run('host', 'show', 'nobody')).code).toBe(2)
})

test('a host can be disabled and enabled, and --dry-run only shows the effect', async () => {
  const statusOf = async (name: string) => oneLine<{ status: string }>(await run('host', 'show', name, '--json')).status
  const close = ['host', 'set-status', 'az1-b', 'az1-c', '--status', 'disabled', '--reason', 'fan broken']
  expect((await run(...close, '--dry-run')).out).toContain('Nothing was changed. The change would affect 2 hosts')
  expect(await statusOf('az1-b')).toBe('ENABLED')
  const { out, code } = await run(...close)
  expect([code, out]).toEqual([0, expect.stringMatching(/az1-b +DISABLED +fan broken\naz1-c +DISABLED +fan broken\n\nChanged 2 hosts/)])
  expect((await run('hosts', '--status', 'DISABLED')).out).toContain('2 hosts.')
  const opened = oneLine(await run('host', 'set-status', 'az1-b', 'az1-c', '--status', 'ENABLED', '--reason', 'new fan', '--json'))
  expect(opened).toMatchObject({ dryRun: false, hosts: [{ status: 'ENABLED' }, { status: 'ENABLED' }] })
  const unknown = await run('host', 'set-status', 'nobody', '--status', 'DISABLED', '--reason', 'x')
  expect([unknown.out, unknown.code]).toEqual(['', 2])
})

test('gantt replicas lists the replicas and the checks of their states, in 80 columns and as one line of JSON', async () => {
  await expect.poll(async () => (await run('replicas')).out).toMatch(/last\s+full\s+check/)
  const output = await run('replicas')
  expect(output).toMatchObject({ code: 0, err: '' })
  expect(output.out).toMatch(/^REPLICA +MODE +LEVEL +REVISION +LAG +VIOLATIONS +SEEN\n\S+ \* +NORMAL +\d+ +\d+ +\d.* +0 +\d+ s ago\n/)
  expect(output.out).toMatch(
    /\n\nREPLICA +DEC\/S +CONFLICTS +MEMORY +UP +SUSPECT +DOWN +MOST LAG\n\S+ \* +<?[\d.]+ +\S.* +[\d.]+ [MG]iB +\d+ +\d+ +\d+ +\S.*\n\n/,
  )
  expect(output.out.replaceAll(/\s+/g, ' ')).toMatch(/0 violations since 20\S+Z, in \d+ checks of \d+ rounds?; last full check: \d+ items/)
  expect(widthOf(output.out)).toBeLessThanOrEqual(80)
  const { replicas, auditor } = oneLine<{ replicas: { live: boolean; url: string }[]; auditor: { violations: number } }>(
    await run('replicas', '--json'),
  )
  expect(replicas).toMatchObject([{ live: true }])
  expect(auditor.violations).toBe(0)
})

test('replicas --heal shows what differs from the log, and --dry-run without --heal is refused', async () => {
  const output = await run('replicas', '--heal', '--dry-run')
  expect(output).toMatchObject({ code: 0, err: '' })
  // the check starts from a checkpoint if the earlier tests took a minute, and otherwise from the beginning of the log
  expect(output.out.replaceAll(/\s+/g, ' ')).toMatch(
    /^0 differences at revision \d+, by the (whole|checkpoint at revision \d+ and the) log; nothing was changed\. Replica: \S+ $/,
  )
  expect(oneLine(await run('replicas', '--heal', '--json'))).toMatchObject({ dryRun: false, differenceCount: 0 })
  expect(await run('replicas', '--dry-run')).toMatchObject({ code: 2, out: '' })
})

test('a nova.conf is imported as a profile, and the second version of the profile decides once it is activated', async () => {
  const file = path.join(own.folder, 'nova.conf')
  fs.writeFileSync(
    file,
    '[filter_scheduler]\nenabled_filters = ComputeFilter, IoOpsFilter\nmax_io_ops_per_host = 4\nhost_subset_size = 2\n',
  )
  const { out, code } = await run('profile', 'import', file, '--name', 'site')
  expect([code, out]).toEqual([0, expect.stringMatching(/Written as site@1, which decides for calls with the profile site\.\n$/)])
  expect(oneLine(await run('profile', 'import', file, '--name', 'site', '--json'))).toMatchObject({
    created: { name: 'site', number: 2, active: false },
  })
  expect((await run('profile', 'list')).out).toMatch(/\nsite +1 +2 +nova +Imported from nova\.conf, read as/)
  expect((await run('profile', 'activate', 'site@2', '--dry-run')).out).toMatch(/^Nothing was changed\./)
  expect((await run('profile', 'activate', 'site@2')).out).toBe('site@2 decides as site from now on.\n')
  expect((await run('profile', 'list')).out).toMatch(/\nsite +2 +2 +nova /)
  expect(await run('profile', 'activate', 'site@9')).toMatchObject({ out: '', code: 2 })
  expect(await run('profile', 'import', file, '--name', 'Site!')).toMatchObject({ out: '', code: 2 })
})

test('a profile can be checked against the requests of the last day, tried as a canary and rolled back', async () => {
  const select = async (memoryMb: string) =>
    oneLine<{ decision: { id: string } }>(await run('select', '--vcpus', '1', '--memory-mb', memoryMb, '--json', '--advice')).decision.id
  const [first, second] = [await select('512'), await select('999999')]
  const file = path.join(own.folder, 'draft.json')
  const write = (filters: readonly string[]) =>
    fs.writeFileSync(
      file,
      JSON.stringify({ name: 'default', filters: filters.map((name) => ({ name })), weighers: [{ name: 'RAMWeigher', multiplier: -1 }] }),
    )
  write(['ComputeFilter'])
  const output = await run('profile', 'check', file, '--against', 'last:1h')
  expect([output.code, output.err]).toEqual([0, ''])
  expect(output.out).toMatch(/^default@\d against default@0: \d+ of \d+ requests were decided again/)
  expect(output.out).toMatch(/\n(\d+) of \1 requests were compared: none would newly fail\.\n$/)
  expect(output.out).toMatch(/\nhosts taken +now +then\ndifferent hosts +\d+ +\d+\n[\s\S]*\nMEMORY_MB in use before +[\d.]+ % +[\d.]+ %\n/i)
  expect(output.out).toMatch(/\nzone +takes +now +then +shift\n\S+ +instances +\d+ +\d+ +[+-]?\d+\n\S+ +VCPU +\d+ +\d+ +[+-]?\d+\n/i)
  expect(output.out).toMatch(/decisions of default/)
  expect(output.out).toMatch(/\nchanged nothing +is a +that is\nComputeFilter +filter +refused no host\n/i)
  const few = await run('profile', 'check', file, '--against', 'last:1h', '--min-compared', '9999')
  expect([few.code, few.out.replaceAll('\n', ' ')]).toEqual([
    2,
    expect.stringMatching(/were compared; at least 9999 are required \(--min-compared\)\. It is therefore unknown/),
  ])
  expect((await run('profile', 'check', '--help')).out).toMatch(/\(default:\s+last:24h\)/)
  expect(widthOf(output.out)).toBeLessThanOrEqual(80)
  // no host reports this field, so no host passes
  fs.writeFileSync(
    file,
    JSON.stringify({ filters: [{ name: 'MetricsFilter', options: { 'metrics.weight_setting': ['no.such=1'] } }], weighers: [] }),
  )
  const failing = await run('profile', 'check', file, '--against', 'last:1d', '--markdown')
  expect([failing.code, failing.out]).toEqual([1, expect.stringMatching(/^### default@1: \d+ requests? of \d+ would newly fail\n/)])
  expect(await run('profile', 'check', file, '--profile', 'first-fit')).toMatchObject({
    code: 2,
    out: expect.stringContaining('0 of 0 requests were compared; at least 1 are required'),
  })
  write(['NoSuchFilter'])
  expect(await run('profile', 'check', file)).toMatchObject({ code: 2, out: '', err: expect.stringContaining('there is no filter') })
  expect(await gantt({ ...own.environment, GANTT_URL: 'http://127.0.0.1:9/graphql' }, 'profile', 'check', 'default@0')).toMatchObject({
    code: 2,
    out: '',
  })

  const compared = await run('compare', first, second)
  expect([compared.code, compared.out]).toEqual([0, expect.stringMatching(/^SPEC: The first goes to /)])
  expect(widthOf(compared.out)).toBeLessThanOrEqual(80)
  expect((await run('compare', first, second, '--markdown')).out).toMatch(/^### SPEC: two decisions compared\n/)
  expect(oneLine(await run('compare', first, first, '--json'))).toMatchObject({ cause: 'NONE' })

  expect((await run('profile', 'shadow', 'first-fit@0')).code).toBe(2)
  expect((await run('profile', 'canary', 'site@1', '--percent', '5')).out).toBe('site@1 decides 5 % of the calls for site.\n')
  const shown = await run('profile', 'show', 'site')
  expect(shown.out).toMatch(/^site@2 decides\.\nsite@1 is tried as a canary\s+with\s+5\s+%\s+of\s+the\s+calls\s+since\s/)
  expect(widthOf(shown.out)).toBeLessThanOrEqual(80)
  expect((await run('profile', 'rollback', 'site', '--reason', 'slow')).out).toBe('site@1 is no longer in a rollout; site@2 decides.\n')
  expect((await run('profile', 'shadow', 'site@1', '--dry-run')).out).toMatch(/^Nothing was changed\. /)
})

test('the results of a version in a rollout are shown over time, with the ranks of the hosts that both versions selected', async () => {
  const file = path.join(own.folder, 'packing.conf')
  fs.writeFileSync(file, '[filter_scheduler]\nram_weight_multiplier = -100\n')
  await run('profile', 'import', file, '--name', 'site')
  const { number } = oneLine<{ created: { number: number } }>(await run('profile', 'import', file, '--name', 'site', '--json')).created
  expect((await run('profile', 'shadow', `site@${number}`)).code).toBe(0)
  expect((await run('profile', 'show', 'site')).out).not.toContain('over time')
  await run('select', '--vcpus', '1', '--memory-mb', '512', '--profile', 'site', '--advice')
  const shown = await vi.waitFor(async () => {
    const found = await run('profile', 'show', 'site')
    expect(found.out).toContain('over time')
    return found
  }, 120_000)
  expect(shown.out).toMatch(/\nfrom +compared +same outcome +elsewhere +failing +placed\n[\s\S]*Z +1 +0 % +1 +0 +0\n/i)
  expect(shown.out).toMatch(/\n\S+ ELSEWHERE:\s\S+\s\(rank\s\d+\),\s\S+\s\(rank\s\d+\)\n/)
  expect(widthOf(shown.out)).toBeLessThanOrEqual(80)
  await run('profile', 'rollback', 'site', '--reason', 'seen')
})

test.each([
  [
    'a status without a reason',
    ['host', 'set-status', 'az1-a', '--status', 'DISABLED'],
    '--reason is missing: without --dry-run give the reason',
  ],
  ['used amounts without a reason', ['host', 'set-used-from', 'az1-a', '--from', 'CLAIMS'], '--reason is missing'],
  ['an allocation without a reason', ['host', 'set-allocation', 'az1-a', '--class', 'VCPU', '--ratio', '2'], '--reason is missing'],
  ['a rollback without a reason', ['profile', 'rollback', 'site'], '--reason is missing'],
  ['an extension without --ttl', ['claims', 'extend', 'x'], "'--ttl <duration>' not specified"],
  ['a duration that is not ISO 8601', ['claims', 'extend', 'x', '--ttl', '10m'], 'It must be an ISO 8601 duration'],
  ['a claim with an invalid id', ['claims', 'release', 'x'], 'must be the global id of a Claim'],
])('%s exits with 2 and a message', async (_name, args, message) => {
  const { out, err, code } = await run(...args)
  expect([out, err, code]).toEqual(['', expect.stringContaining(message), 2])
})

test.each([
  ['a status', ['host', 'set-status', 'az1-a', '--status', 'DISABLED']],
  ['the source of used amounts', ['host', 'set-used-from', 'az1-a', '--from', 'CLAIMS']],
  ['an allocation', ['host', 'set-allocation', 'az1-a', '--class', 'VCPU', '--ratio', '2']],
])('a preview of %s needs no reason', async (_name, args) => {
  const { out, err, code } = await run(...args, '--dry-run')
  expect([err, code]).toEqual(['', 0])
  expect(out).toContain('az1-a')
  expect(out).not.toContain('preview')
})

test.each(['hosts', 'select', 'explain', 'why-not', 'claims', 'aggregates', 'decisions', 'replicas'])(
  'help of %s has examples, and defaults in words',
  async (name) => {
    const { out, code } = await run(name, '--help')
    expect([code, out]).toEqual([0, expect.stringContaining(`\nExamples:\n`)])
    expect(widthOf(out)).toBeLessThanOrEqual(100)
    // A default that is a list or an object would be printed as JSON.
    expect(out).not.toMatch(/\(default:\s+[[{]/)
  },
)

test('db stop does not stop a server that a service uses, and stops a server that no service uses', async () => {
  const used = await gantt({}, 'db', 'stop', '--data-dir', own.stateDir)
  expect([used.code, used.out]).toEqual([1, expect.stringMatching(/^1 service still uses\s+the\s+database\s+server/)])
  await own.service.kill()
  const left = await gantt({ GANTT_DATA_DIR: own.stateDir }, 'db', 'stop', '--json')
  expect([left.code, oneLine(left)]).toEqual([0, { stateDir: own.stateDir, outcome: 'stopped', services: 0 }])
  const gone = await gantt({}, 'db', 'stop', '--data-dir', own.stateDir)
  expect([gone.code, gone.out]).toEqual([0, expect.stringMatching(/^No database server runs on/)])
  expect((await gantt({}, 'db', 'stop', '--data-dir', path.join(own.folder, 'never'))).code).toBe(0)
  expect(fs.existsSync(path.join(own.folder, 'never'))).toBe(false)
})
