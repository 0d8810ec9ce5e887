import { once } from 'node:events'
import fs from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { hostFields } from '@gantt/scheduler-core/query'
import { expect, test } from 'vitest'
import { type CommandOutput, gantt, oneLine, widthOf } from '../testing/gantt.ts'
import { useOwnService } from '../testing/own-service.ts'

const own = useOwnService()
const { run } = own

const SMALL = ['--vcpus', '1', '--memory-mb', '512']

/** Makes a request that fits on no host, and returns the id of its decision. */
async function refusedDecision(): Promise<string> {
  const output = await run('select', '--vcpus', '99', '--memory-mb', '60000', '--zone', 'az2', '--json')
  return oneLine<{ decision: { id: string } }>(output).decision.id
}

const idsOf = (output: CommandOutput) => oneLine<{ decisions: { id: string }[] }>(output).decisions.map(({ id }) => id)

test('hosts are shown as a table with free amounts, and their names are not shortened if the output is a pipe', async () => {
  const { out, err, code } = await run('hosts')
  expect([err, code]).toEqual(['', 0])
  expect(out).toMatch(/^NAME +ZONE +STATUS +VCPU +MEMORY +DISK +CLAIMS +AGE\n/)
  expect(out).toMatch(/az1-a +az1 +ENABLED +\d+\/16 +[\d.]+\/64 GiB +900\/1000 GiB +\d+ +\d+s\n/)
})

test('hosts can be filtered by zone, status and name', async () => {
  const hosts = async (...args: readonly string[]) =>
    oneLine<{ totalCount: number; hosts: { name: string }[] }>(await run('hosts', '--json', ...args))
  expect(await hosts('--zone', 'az1')).toMatchObject({ totalCount: 3, hosts: [{ name: 'az1-a' }, { name: 'az1-b' }, { name: 'az1-c' }] })
  expect(await hosts('--name', 'GPU')).toMatchObject({ totalCount: 1, hosts: [{ name: 'az2-gpu' }] })
  expect(await hosts('--first', '2')).toMatchObject({ totalCount: 6, hosts: [{ name: 'az1-a' }, { name: 'az1-b' }] })
  expect((await run('hosts', '--zone', 'az9')).out).toBe('No matching hosts.\n')
})

test('hosts are shown with the columns that --columns names, even if 500 rows are requested', async () => {
  const { out, err, code } = await run(
    'hosts',
    '--columns',
    `host,mem.total,${hostFields.map(({ name }) => name).join()}`,
    '--first',
    '500',
  )
  expect([err, code]).toEqual(['', 0])
  expect(out.split('\n')[0]).toMatch(/^NAME +MEM\.TOTAL +NODE /)
  expect((await run('hosts', '--columns', 'colour')).code).toBe(2)
})

test('hosts are listed in the requested order, by default by name', async () => {
  const names = async (...args: readonly string[]) =>
    oneLine<{ hosts: { name: string }[] }>(await run('hosts', '--json', ...args)).hosts.map(({ name }) => name)
  const byName = await names()
  expect(byName).toEqual(byName.toSorted())
  expect(await names('--sort', '-host')).toEqual(byName.toReversed())
  expect(await names('--sort', '-az,host', '--first', '2')).toEqual(byName.filter((name) => name.startsWith('az2')).slice(0, 2))
  // Only az2-gpu reports its CPU model. It is listed after the hosts without a CPU model, which are ordered by the second field.
  const others = byName.filter((name) => name !== 'az2-gpu')
  expect(await names('--sort', 'cpu.model,-host')).toEqual([...others.toReversed(), 'az2-gpu'])
  expect(await names('--query', '-cpu.model:*')).toEqual(others)
})

test('select lists request fields that have no effect, whether a host is found or not', async () => {
  const asked = (vcpus: number) =>
    JSON.stringify({ flavor: { vcpus, memoryMb: 64, extraSpecs: [{ key: 'hw:cpu_policy', value: 'dedicated' }] } })
  for (const vcpus of [1, 60_000]) {
    const file = path.join(own.folder, `unread-${vcpus}.json`)
    fs.writeFileSync(file, asked(vcpus))
    const { out } = await run('select', '--spec', file, '--advice')
    expect(out.replaceAll(/\s+/g, ' ')).toContain('Ignored fields (nothing in the profile reads them): flavor.extraSpecs.hw:cpu_policy.')
  }
})

test('select prints the host, the claim and the next commands', async () => {
  const { out, err, code } = await run('select', ...SMALL, '--count', '2', '--zone', 'az1')
  expect([err, code]).toEqual(['', 0])
  expect(widthOf(out)).toBeLessThanOrEqual(80)
  expect(out).toContain('2 instances placed.')
  expect(out).toMatch(/az1-a +az1 +\d\S* +[0-9a-f-]{36} +2 min\n/)
  expect(out).toMatch(/gantt explain [0-9a-f-]{36}\n/)
})

test('a call that is repeated with its idempotency key gets the same answer and creates no second claim', async () => {
  const [first, second] = [
    await run('select', ...SMALL, '--key-name', 'k1', '--json'),
    await run('select', ...SMALL, '--key-name', 'k1', '--json'),
  ]
  expect(oneLine(first)).toMatchObject({ replayed: false, idempotencyKey: 'k1' })
  expect(oneLine(second)).toEqual({ ...oneLine<object>(first), replayed: true })
  const other = await run('select', '--vcpus', '2', '--memory-mb', '512', '--key-name', 'k1')
  expect([other.out, other.code]).toEqual(['', 1])
})

test('select --advice claims nothing, and --confirm creates a claim that does not expire', async () => {
  expect(oneLine(await run('select', ...SMALL, '--advice', '--json'))).toMatchObject({ destinations: [{ selected: { claim: null } }] })
  expect(oneLine(await run('select', ...SMALL, '--confirm', '--json'))).toMatchObject({
    destinations: [{ selected: { claim: { state: 'CONFIRMED', expiresAt: null } } }],
  })
})

test('for a request that fits on no host, select exits with 1 and prints the reasons and the decision', async () => {
  const { out, code } = await run('select', '--vcpus', '99', '--memory-mb', '60000', '--zone', 'az2')
  expect(code).toBe(1)
  expect(widthOf(out)).toBeLessThanOrEqual(80)
  expect(out).toMatch(/ 3 +CoreFilter +99 vCPUs needed by one instance; the host has 16/)
  expect(out).toMatch(/gantt why-not [0-9a-f-]{36} HOST\n$/)
  const asJson = await run('select', '--vcpus', '99', '--memory-mb', '60000', '--zone', 'az2', '--json')
  expect(asJson.code).toBe(1)
  expect(oneLine(asJson)).toMatchObject({ __typename: 'NoValidHost', placedCount: 0 })
})

test("a whole request can be read from a file, and the service's errors are printed", async () => {
  const file = path.join(own.folder, 'spec.json')
  fs.writeFileSync(file, JSON.stringify({ flavor: { vcpus: 1, memoryMb: 512 }, forceHosts: ['az1-b'] }))
  expect((await run('select', '--spec', file, '--advice')).out).toContain('az1-b')
  fs.writeFileSync(file, '{"flavor":{"vcpus":-1,"memoryMb":512}}')
  const { err, code } = await run('select', '--spec', file)
  expect([err, code]).toEqual([expect.stringContaining('vcpus'), 2])
})

test('why-not shows every check of one host with its amounts', async () => {
  const decision = await refusedDecision()
  const { out, code } = await run('why-not', decision, 'az2-gpu')
  expect(code).toBe(0)
  expect(widthOf(out)).toBeLessThanOrEqual(80)
  expect(out).toMatch(/^az2-gpu was refused by RamFilter\. Memory: 60000 MiB needed, 32768 free\./)
  expect(out).toMatch(/\nFAIL +CoreFilter +99 vCPUs/)
  expect(oneLine(await run('why-not', decision, 'az2-gpu', '--json'))).toMatchObject({ outcome: 'FILTERED', wouldPassNow: false })
  expect((await run('why-not', decision, 'nobody')).code).toBe(2)
})

test('verify exits with 0 for an unchanged decision, and with 2 for an unknown id', async () => {
  const decision = await refusedDecision()
  const { out, code } = await run('verify', decision)
  expect(code).toBe(0)
  expect(widthOf(out)).toBeLessThanOrEqual(80)
  expect(out).toMatch(/^The decision is unchanged, bit for bit\.\nReplayed on revision \d+ \(REPLAYED\)\.\n/)
  expect(out).toMatch(/\nREPLAY +SAME +The replay gives/)
  expect(oneLine(await run('verify', decision, '--json'))).toMatchObject({ outcome: 'SAME', fidelity: 'REPLAYED' })
  expect((await run('verify', '00000000-0000-4000-8000-000000000000')).code).toBe(2)
})

test('explain shows the funnel and the reasons, and with --verdicts every host', async () => {
  const decision = await refusedDecision()
  const { out, code } = await run('explain', decision, '--verdicts')
  expect(code).toBe(0)
  expect(widthOf(out)).toBeLessThanOrEqual(80)
  expect(out).toMatch(/^NO_VALID_HOST: 1 instance of 99 vCPU, 58\.6 GiB memory, 0 GiB disk in az2/)
  expect(out).toMatch(/\nAvailabilityZoneFilter +6 +3 +3 +0\nRamFilter +3 +0 +3 +0\n/)
  expect(out).toMatch(/\naz2-gpu +FILTERED +\d+ (?:s|min) +RamFilter: Memory: 60000( |\n)/)
  expect(out).toMatch(/\nThe decision can be replayed exactly until \d{4}-\d\d-\d\dT\S+\.\n/)
  const whole = oneLine<{ explanation: { hostCount: number }; verdicts: unknown[] }>(await run('explain', decision, '--verdicts', '--json'))
  expect([whole.explanation.hostCount, whole.verdicts.length]).toEqual([6, 6])
})

test.each([
  ['an id that belongs to no object', 'foo'],
  ['an id of no decision', '00000000-0000-4000-8000-000000000000'],
])('for %s every command exits with 2 and names the command that lists decisions', async (_name, id) => {
  for (const args of [
    ['explain', id],
    ['explain', id, '--markdown'],
    ['why-not', id, 'az1-a'],
    ['verify', id],
  ]) {
    const { out, err, code } = await run(...args)
    expect([out, err, code]).toEqual(['', `error: there is no decision ${id}; "gantt decisions" lists them\n`, 2])
  }
  expect((await run('compare', id, id)).code).toBe(2)
  expect((await run('what-would-fit', '--decision', id)).code).toBe(2)
})

test('if the decision exists, explain reports an invalid option', async () => {
  const { err, code } = await run('explain', await refusedDecision(), '--instance', '7')
  expect([err, code]).toEqual(['error: instanceIndex is 7; it must be 0 to 0\n', 2])
})

test('explain lists the refused hosts that are nearest to passing, with every filter that refuses them', async () => {
  const { out } = await run('explain', await refusedDecision())
  expect(out).toMatch(/\nRefused hosts that are nearest to passing\nHOST +REPORT +WHY IT WAS REFUSED\n/)
  expect(out).toMatch(/\naz2-gpu +\d+ (?:s|min) +Memory: 60000 MiB needed, 32768\n +free\. 99 vCPUs/)
})

test('a problem whose text equals the error message is printed only once', async () => {
  const { err, code } = await run('select', ...SMALL, '--profile', 'nosuch')
  expect([err.match(/There is no profile/g)?.length, code]).toEqual([1, 2])
})

test('with many instances, alternates are listed only for some, so that the next command stays visible', async () => {
  const { out } = await run('select', ...SMALL, '--count', '12', '--advice')
  expect(out.match(/^Next best (after|for)/gm)).toHaveLength(6)
  expect(out).toContain('\nNext best for 7 more instances: see --json\nTo see why:')
})

test('explain shows how the best hosts were weighed, and writes a page for a ticket', async () => {
  const { decision } = oneLine<{ decision: { id: string } }>(await run('select', ...SMALL, '--advice', '--json'))
  const { out } = await run('explain', decision.id, '--top', '3')
  expect(widthOf(out)).toBeLessThanOrEqual(80)
  expect(out).toMatch(/Best hosts of 6 that passed\nHOST +OUTCOME +REPORT +TOTAL +FROM\n\S+ +SELECTED +\d+ (?:s|min) +\d/)
  const page = (await run('explain', decision.id, '--markdown')).out
  expect(page).toMatch(
    /^### PLACED: 1 instance of 1 vCPU, 512 MiB memory, 0 GiB disk\n\n\S+ was selected: the best of 6 hosts that passed, of 6\.\n/,
  )
  expect(page).toMatch(/\n\| RamFilter \| 6 \| 6 \| 0 \| 0 \| {2}\|\n/)
  expect(page).toMatch(/\n### Best hosts of 6 that passed\n\n\| Host \| Outcome \| Report \| Total \|\n/)
  expect(page).toContain(`[The decision](${own.service.url.replace('/graphql', '')}/decisions/${encodeURIComponent(decision.id)})`)
})

test('a page for a ticket lists the refused hosts that are nearest to passing', async () => {
  const { out, err, code } = await run('explain', await refusedDecision(), '--markdown')
  expect([err, code]).toEqual(['', 0])
  expect(out).toMatch(
    /^### NO_VALID_HOST: 1 instance of 99 vCPU, .* in az2\n\nOf the 3 hosts in availability zone az2 none takes it(?:, some for several reasons)?: /,
  )
  expect(out).toMatch(
    /\n### Refused hosts that are nearest to passing\n\n\| Host \| Why it was refused \|\n\| --- \| --- \|\n\| az2-\S+ \| Memory: 60000 MiB needed, \d+ free\. 99 vCPUs needed /,
  )
  expect((await run('explain', 'x', '--markdown', '--json')).err).toMatch(/'--markdown' cannot be used with option '--json'/)
})

test('explain with a key bound to a project shows only what that project may read of its own decisions', async () => {
  const create = ['keys', 'create', '--name', 'shop', '--account', 'shop', '--scopes', 'READ', '--project', 'shop', '--json']
  const { secret } = oneLine<{ secret: string }>(await run(...create))
  const file = path.join(own.folder, 'of-shop.json')
  fs.writeFileSync(file, JSON.stringify({ flavor: { vcpus: 99, memoryMb: 512 }, projectId: 'shop' }))
  const asked = await run('select', '--spec', file, '--json')
  const { id } = oneLine<{ decision: { id: string } }>(asked).decision
  const explainAs = (...args: readonly string[]) => gantt({ ...own.environment, GANTT_KEY: secret }, 'explain', ...args)
  const { out, err, code } = await explainAs(id)
  expect([err, code]).toEqual(['', 0])
  expect(widthOf(out)).toBeLessThanOrEqual(80)
  expect(out).toMatch(
    /No host was found for the instance\. The cause: 99 vCPUs\.\n\nDEMAND +ASKED +STATE +WHAT IT MEANS\nMEMORY +512 MiB +MET +/,
  )
  expect(out).not.toMatch(/az\d-/)
  expect(oneLine(await explainAs(id, '--json'))).toMatchObject({
    decision: { id, tenantExplanation: { isInYourHands: true, demands: [{ kind: 'MEMORY' }, { kind: 'VCPUS', state: 'IN_THE_WAY' }] } },
  })
  expect((await explainAs(id, '--markdown')).out).toMatch(
    /^### NO_VALID_HOST\n\nNo host was found.*\n\n\| Demand \| Asked \| State \| What it means \|\n/,
  )
  // A key that is bound to a project gets the answer "not found" for objects of other projects.
  const foreign = await refusedDecision()
  expect((await explainAs(foreign)).err).toBe(`error: there is no decision ${foreign}; "gantt decisions" lists them\n`)
  expect((await explainAs(id, '--verdicts')).err).toMatch(/the key is bound to project shop/)
})

test('select with a key bound to a project shows only the hosts that its instances get', async () => {
  const create = ['keys', 'create', '--name', 'mall', '--account', 'mall', '--scopes', 'READ,SCHEDULE', '--project', 'mall', '--json']
  const { secret } = oneLine<{ secret: string }>(await run(...create))
  const ask = (...args: readonly string[]) => gantt({ ...own.environment, GANTT_KEY: secret }, ...args)
  const placed = await ask('select', ...SMALL)
  expect([placed.err, placed.code]).toEqual(['', 0])
  expect(placed.out).toMatch(/^1 instance placed\.\n\nHOST +CLAIM +HELD FOR\naz\d-\S+ +[0-9a-f-]{36} +2 min/)
  expect(widthOf(placed.out)).toBeLessThanOrEqual(80)
  const refused = await ask('select', '--vcpus', '99', '--memory-mb', '512')
  expect([refused.err, refused.code]).toEqual(['', 1])
  const [, id] = /^No host was found for the instance\.\n\nTo see why: gantt explain ([0-9a-f-]{36})\n$/.exec(refused.out) ?? []
  expect((await ask('explain', String(id))).out).toContain('The cause: 99 vCPUs.')
  expect((await ask('select', ...SMALL, '--advice', '--alternates', '3')).err).toBe(
    'error: the key is bound to project mall: it cannot be used with --advice, --alternates (docs/keys.md)\n',
  )
  const listed = await ask('decisions')
  expect([listed.err, listed.code]).toEqual(['', 0])
  expect(listed.out).toMatch(/^DECISION +AGE +OUTCOME +FOUND +ACCOUNT\n/)
  expect(listed.out).toMatch(new RegExp(`\n?${id} +\\d+ s +NO_VALID_HOST +0 of 1 +mall\n`))
  expect(listed.out).toMatch(/ PLACED +1 of 1 +mall\n/)
  expect((await ask('decisions', '--host', 'az1-a')).err).toMatch(/the key is bound to project mall/)
  expect(oneLine(await ask('decisions', '--json'))).toMatchObject({ totalCount: 2, decisions: [{ id: expect.anything() }, {}] })
})

test('decisions are listed, and can be filtered by outcome', async () => {
  const refused = await refusedDecision()
  await expect.poll(async () => idsOf(await run('decisions', '--outcome', 'NO_VALID_HOST', '--json'))).toContain(refused)
  const { out } = await run('decisions', '--outcome', 'NO_VALID_HOST')
  expect(widthOf(out)).toBeLessThanOrEqual(80)
  expect(out).toMatch(/\n[0-9a-f-]{36} +\d+ s +NO_VALID_HOST +1x 99/)
})

test.each([
  ['an unknown command', ['hostz'], "unknown command 'hostz'"],
  ['an order by an unknown field', ['hosts', '--sort', 'az,-colour'], 'Hosts are not ordered by "colour".'],
  ['an order without fields', ['hosts', '--sort', ','], 'It must name a field.'],
  ['an unknown status', ['hosts', '--status', 'ASLEEP'], 'It must be one of ENABLED'],
  ['half a CPU', ['select', '--vcpus', '0.5'], 'It must be a whole number'],
  ['a request without resources', ['select'], 'give --vcpus and --memory-mb'],
  ['a request from a file and from options', ['select', '--spec', '-', '--vcpus', '1'], 'cannot be used with option'],
  ['a file that does not exist', ['select', '--spec', '/nowhere'], '/nowhere cannot be read'],
])('%s exits with 2 and a message', async (_name, args, message) => {
  const { out, err, code } = await run(...args)
  expect([out, err, code]).toEqual(['', expect.stringContaining(message), 2])
})

test('if the service is unreachable, the command exits with 3', async () => {
  const { out, err, code } = await gantt({ ...own.environment, GANTT_URL: 'http://127.0.0.1:2' }, 'select', ...SMALL)
  expect([out, code]).toEqual(['', 3])
  expect(err).toMatch(/^error: the service cannot be reached: http:\/\/127\.0\.0\.1:2\/graphql: .*ECONNREFUSED/)
})

test('if the answer was lost, select prints how to repeat the call without creating a second claim', async () => {
  const server = createServer((call, reply) => {
    call.setEncoding('utf8').once('data', (body: string) => {
      if (body.includes('selectDestinations')) call.destroy()
      else reply.setHeader('content-type', 'application/json').end('{"data":{"viewer":{"project":null}}}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { out, err, code } = await gantt(
    { ...own.environment, GANTT_URL: `http://127.0.0.1:${port}` },
    'select',
    ...SMALL,
    '--key-name',
    'lost',
  )
  server.close()
  expect([out, code]).toEqual(['', 3])
  expect(err).toMatch(
    /^The resources may be held nevertheless; .* --key-name lost repeats the call.*\nerror: the service cannot be reached/,
  )
})

test('while the service is unavailable, select repeats the call with the same idempotency key', async () => {
  const keys: string[] = []
  const none = { ignoredFields: [], unlocatedFields: [], reasons: [] }
  const answer = { __typename: 'NoValidHost', message: 'no host is free', placedCount: 0, decision: { id: 'd' }, ...none }
  const refusal = { message: 'the log has no leader', extensions: { code: 'UNAVAILABLE', retryable: true, retryAfterMs: 1 } }
  const server = createServer((call, reply) => {
    call.setEncoding('utf8').once('data', (body: string) => {
      reply.setHeader('content-type', 'application/json')
      if (!body.includes('selectDestinations')) return reply.end('{"data":{"viewer":{"project":null}}}')
      keys.push(JSON.parse(body).variables.input.idempotencyKey)
      return reply.end(JSON.stringify(keys.length < 3 ? { errors: [refusal] } : { data: { selectDestinations: answer } }))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { out, err, code } = await gantt({ ...own.environment, GANTT_URL: `http://127.0.0.1:${port}` }, 'select', ...SMALL)
  server.close()
  expect([out, err, code]).toEqual([expect.stringContaining('no host is free'), '', 1])
  expect(keys).toHaveLength(3)
  expect(new Set(keys).size).toBe(1)
})

test('a command with an unknown key or without a key exits with 2', async () => {
  const wrong = await gantt({ ...own.environment, GANTT_KEY: 'wrong' }, 'hosts')
  expect([wrong.err, wrong.code]).toEqual(['error: the service does not know the key (from GANTT_KEY)\n', 2])
  const none = await gantt({ GANTT_URL: own.service.url }, 'hosts')
  expect([none.err, none.code]).toEqual([expect.stringContaining('no key is given'), 2])
})
