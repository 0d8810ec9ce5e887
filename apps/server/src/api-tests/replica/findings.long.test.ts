import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf, type Json, startTestService, type TestService } from '../../testing/test-service.ts'
import { FINDINGS, findingsOn, PLACE, REPAIR } from './testing/findings.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService({ unlistedAfterMs: 1 })
})
afterAll(() => api.close())

const { report, place, repair, changesOf, liveClaims, found, running } = findingsOn(() => api)

test('Z05: one machine that reports under two names is found, with each instance that it lists twice', async () => {
  const machineId = randomUUID()
  await report('z05-old', { instances: [], machineId })
  const { instance } = await place('z05-old')
  await report('z05-old', { ...running(instance), machineId })
  await report('z05-new', { ...running(instance), machineId })
  const findings = await found(['z05-old', 'z05-new'], ['host.same_machine', 'instance.two_hosts'])
  expect(findings.map(({ code, severity, host, actual }) => [code, severity, host, actual])).toEqual([
    ['host.same_machine', 'WARNING', 'z05-new', 'as z05-old'],
    ['instance.two_hosts', 'WARNING', 'z05-new', 'z05-old, z05-new'],
  ])
  for (const { id, repair: how } of findings) {
    expect(how.options.map(({ name }: Json) => name).sort()).toEqual(['host:z05-new', 'host:z05-old'])
    // only an operator knows which of the two names is correct
    for (const choose of [undefined, 'host:z05'])
      expect(await repair(id, true, 'a test', choose === undefined ? {} : { choose })).toMatchObject({
        __typename: 'FindingRepairRefused',
        path: ['choose'],
        message: expect.stringMatching(/host:z05-old.*host:z05-new|host:z05-new.*host:z05-old/),
      })
  }
  const [same] = findings
  // The host with the claim has the old name. With the first option, it keeps the old name and the host with the new name is forgotten.
  // With the second option, the host with the claim gets the new name.
  const kept = await repair(same.id, true, 'a test', { choose: 'host:z05-old' })
  expect(changesOf(kept)['host z05-new (gone) gone']?.[1]).toMatch(/"reason":"a test"/)
  const tried = await repair(same.id, true, 'renamed', { choose: 'host:z05-new' })
  expect(changesOf(tried)['host z05-new host']).toEqual(['"z05-old"', '"z05-new"'])
  // the differences distinguish the two hosts, although both have the new name: the forgotten host has the suffix `(gone)`
  expect(changesOf(tried)['host z05-new (gone) gone']?.[1]).toMatch(/"reason":"renamed"/)
  expect(api.service.replica.fleet.hosts.nodesOf('z05-old')).toHaveLength(1)
  expect(await repair(same.id, false, 'renamed', { choose: 'host:z05-new' })).toMatchObject({ __typename: 'FindingRepairPayload' })
  expect(api.service.replica.fleet.hosts.nodesOf('z05-old')).toEqual([])
  expect(liveClaims(instance)).toMatchObject([{ host: 'z05-new', state: 'MATERIALISED' }])
  await found(['z05-old', 'z05-new'], [])
  expect(api.warnings.filter((text) => /contradictions? between reports and claims/.test(text))).not.toEqual([])
})

test('Z18a: a report that lists the instance and states no usage is a finding, but not a violation', async () => {
  await report('z18a', { instances: [] })
  const { instance } = await place('z18a')
  await report('z18a', { instances: [instance] })
  await found(['z18a'], ['use.below_claims', 'use.below_claims'])
  const { auditor, health } = await dataOf(api, FINDINGS)
  expect(auditor).toMatchObject({ violations: 0, cleanRounds: expect.any(Number) })
  expect(health).toEqual({ violations: auditor.violations, warnings: auditor.warnings })
})

test('Z19: a second key for the same instance is refused, so that the auditor has no finding', async () => {
  await report('z19', { instances: [] })
  const { instance } = await place('z19')
  await report('z19', running(instance))
  const gantt = { forceHosts: ['z19'], instanceUuids: [instance], flavor: { vcpus: 2, memoryMb: 1_024 } }
  const again = await dataOf(api, PLACE, { in: { idempotencyKey: randomUUID(), claim: { mode: 'CONFIRM' }, spec: { gantt } } })
  expect(again.selectDestinations.__typename).toBe('InstanceTaken')
  await found(['z19'], [])
})

test('a claim whose instance no host lists becomes a finding after the configured time; a dry run of the repair shows that the claim would end, the repair ends it, and the audit has both calls', async () => {
  await report('orphan', { instances: [] })
  const { instance } = await place('orphan')
  await report('orphan', running(instance))
  await found(['orphan'], [])
  await report('orphan', running())
  // the test need not write entries while it waits, because the store's time advances without log entries
  const [finding] = await found(['orphan'], ['instance.unlisted'])
  expect(finding.repair.automatic).toBe(true)
  const id = finding.id as string
  const tried = await repair(id, true, 'the host lost it')
  expect(tried).toMatchObject({ __typename: 'FindingRepairPayload', dryRun: true })
  expect(tried.differences).toContainEqual({
    subject: 'claim',
    name: finding.claim,
    field: 'state',
    before: '"CONFIRMED"',
    after: '"REVOKED"',
  })
  expect(tried.differences).toContainEqual({ subject: 'host', name: 'orphan', field: 'classes.VCPU.claimed', before: '2', after: '0' })
  expect(api.service.replica.fleet.ledger.claims.get(finding.claim)?.state).toBe('CONFIRMED')
  await found(['orphan'], ['instance.unlisted'])
  const made = await repair(id, false, 'the host lost it')
  expect({ ...made, dryRun: true }).toEqual(tried)
  expect(api.service.replica.fleet.ledger.claims.get(finding.claim)).toMatchObject({ state: 'REVOKED', reason: 'the host lost it' })
  await found(['orphan'], [])
  expect(await repair(id, false)).toMatchObject({ __typename: 'NotFound', code: 'NOT_FOUND' })
  const { auditLog } = await dataOf(api, '{ auditLog(query: "mutation:findingRepair", oldestFirst: true) { nodes { target result } } }')
  expect(auditLog.nodes.slice(-3).map(({ result }: Json) => result)).toEqual(['FindingRepairPayload', 'FindingRepairPayload', 'NotFound'])
})

test('a repair of an earlier finding does not end a claim whose instance is listed again', async () => {
  await report('late', { instances: [] })
  const { instance } = await place('late')
  const [finding] = await found(['late'], ['instance.unlisted'])
  await report('late', running(instance))
  const answer = await repair(finding.id, false)
  // if the auditor has completed a round since the report, the finding no longer exists and the answer is NotFound
  expect(['FindingRepairRefused', 'NotFound']).toContain(answer.__typename)
  expect(api.service.replica.fleet.ledger.claims.get(finding.claim)?.state).toBe('MATERIALISED')
})

test('a repair of an earlier finding does not end a claim if another host lists the instance now', async () => {
  await report('moved-from', { instances: [] })
  await report('moved-to', { instances: [] })
  const { instance } = await place('moved-from')
  const [finding] = await found(['moved-from'], ['instance.unlisted'])
  await report('moved-to', running(instance))
  const answer = await repair(finding.id, false)
  // if the auditor has completed a round since the report, the finding no longer exists and the answer is NotFound
  expect(['FindingRepairRefused', 'NotFound']).toContain(answer.__typename)
  expect(api.service.replica.fleet.ledger.claims.get(finding.claim)?.state).toBe('CONFIRMED')
})

test('a host that does not list its instances is a finding once it has claims; the repair computes its usage from claims', async () => {
  await report('mute', {})
  await found(['mute'], [])
  await place('mute')
  const [finding] = await found(['mute'], ['use.no_instances'])
  const { differences } = await repair(finding.id, true)
  expect(differences).toContainEqual({ subject: 'host', name: 'mute', field: 'usedFrom', before: null, after: '"CLAIMS"' })
  expect(await repair(finding.id, false)).toMatchObject({ __typename: 'FindingRepairPayload', dryRun: false })
  await found(['mute'], [])
})

test('instances without a claim cause a notice that names the first of them', async () => {
  const instances = [1, 2, 3, 4].map(() => randomUUID())
  await report('ghosts', running(...instances))
  const [finding] = await found(['ghosts'], ['instance.unclaimed'])
  expect(finding).toMatchObject({ severity: 'NOTICE', repair: { automatic: true } })
  expect(finding.repair.options).toMatchObject(instances.map((one) => ({ name: `instance:${one}`, asksSize: true })))
  const choose = `instance:${instances[1]}`
  expect(await repair(finding.id, true, 'a test', { choose })).toMatchObject({ __typename: 'FindingRepairRefused', path: ['size'] })
  expect(finding.actual).toContain(`4 without: ${instances[0]}`)
})

test('if a finding has more than twenty repairs, its text says that others are accepted', async () => {
  const instances = Array.from({ length: 22 }, () => randomUUID())
  await report('crowded', running(...instances))
  const [finding] = await found(['crowded'], ['instance.unclaimed'])
  expect(finding.repair.options).toHaveLength(20)
  expect(finding.repair.text).toMatch(/ Only the first 20 options are shown; the names of others are accepted as well\.$/)
  const choose = `instance:${instances[21]}`
  const size = { vcpus: 1, memoryMib: 512 }
  expect(await repair(finding.id, true, 'a test', { choose, size })).toMatchObject({ __typename: 'FindingRepairPayload', dryRun: true })
  await report('crowded', { instances: [] })
})

test('if an instance runs on another host than its claim names, the repair moves the claim to that host if the host has enough free resources', async () => {
  await report('other-a', { instances: [] })
  await report('other-b', { instances: [] })
  const { instance, claim } = await place('other-a')
  await report('other-b', running(instance))
  const [finding] = await found(['other-a', 'other-b'], ['instance.other_host'])
  expect(finding.repair.options).toEqual([
    { name: 'host:other-b', text: `Move claim ${claim} to other-b.`, asksSize: false, asksOwner: false },
  ])
  const sized = await repair(finding.id, true, 'a test', { size: { vcpus: 1, memoryMib: 512 } })
  expect(sized).toMatchObject({ __typename: 'FindingRepairRefused', path: ['size'] })
  const tried = changesOf(await repair(finding.id, true))
  expect(tried[`claim ${claim} state`]).toEqual(['"CONFIRMED"', '"RELEASED"'])
  expect(tried['host other-a classes.VCPU.claimed']).toEqual(['2', '0'])
  expect(tried['host other-b classes.VCPU.claimed']).toEqual(['0', '2'])
  expect(Object.keys(tried).filter((name) => name.startsWith('key '))).toContainEqual(expect.stringMatching(/^key \S+ repair of /))
  expect(liveClaims(instance)).toEqual([{ id: claim, host: 'other-a', state: 'CONFIRMED' }])
  const made = changesOf(await repair(finding.id, false))
  expect(made[`claim ${claim} state`]).toEqual(['"CONFIRMED"', '"RELEASED"'])
  expect(made['host other-b classes.VCPU.claimed']).toEqual(['0', '2'])
  expect(liveClaims(instance)).toMatchObject([{ host: 'other-b', state: 'CONFIRMED' }])
  await report('other-b', running(instance))
  expect(liveClaims(instance)).toMatchObject([{ host: 'other-b', state: 'MATERIALISED' }])
  await found(['other-a', 'other-b'], [])
})

test('if the host on which the instance runs has too few free resources, the repair is refused with that reason and changes nothing', async () => {
  await report('full-a', { instances: [] })
  await report('full-b', { instances: [] })
  const { instance, claim } = await place('full-a')
  await report('full-b', { ...running(instance), vcpusUsed: 16 * 16 })
  const [finding] = await found(['full-a', 'full-b'], ['instance.other_host'])
  for (const dryRun of [true, false])
    expect(await repair(finding.id, dryRun)).toMatchObject({
      __typename: 'FindingRepairRefused',
      message: expect.stringMatching(/on full-b is not possible\..*(CPU|cpu)/),
    })
  expect(liveClaims(instance)).toMatchObject([{ id: claim, host: 'full-a' }])
})

test('if the host on which the instance runs is disabled, the repair is refused with that reason', async () => {
  await report('closed-a', { instances: [] })
  await report('closed-b', { instances: [] })
  const { instance } = await place('closed-a')
  await report('closed-b', running(instance))
  const CLOSE = 'mutation { hostSetStatus(hosts: [{ host: "closed-b" }], status: DISABLED, reason: "its fans") { __typename } }'
  expect((await dataOf(api, CLOSE)).hostSetStatus.__typename).toMatch(/Payload/)
  const [finding] = await found(['closed-a', 'closed-b'], ['instance.other_host'])
  for (const dryRun of [true, false]) {
    const { message } = await repair(finding.id, dryRun)
    expect(message).toMatch(/on closed-b is not possible\..*DISABLED: its fans/)
    expect(message).not.toContain('names other hosts')
  }
})

test('if two hosts list an instance, the operator chooses one of them, and the claim moves there unless it is there', async () => {
  await report('two-a', { instances: [] })
  await report('two-b', { instances: [] })
  const { instance, claim } = await place('two-a')
  await report('two-a', running(instance))
  await report('two-b', running(instance))
  const [finding] = await found(['two-a', 'two-b'], ['instance.two_hosts'])
  expect(await repair(finding.id, true)).toMatchObject({ message: 'Choose one of host:two-a, host:two-b, and pass it as choose.' })
  expect(await repair(finding.id, true, 'a test', { choose: 'host:two-a' })).toMatchObject({
    __typename: 'FindingRepairRefused',
    message: expect.stringContaining('already on two-a'),
  })
  const keeps = { choose: 'host:two-b' }
  expect(changesOf(await repair(finding.id, true, 'a test', keeps))[`claim ${claim} state`]).toEqual(['"MATERIALISED"', '"RELEASED"'])
  expect(await repair(finding.id, false, 'a test', keeps)).toMatchObject({ __typename: 'FindingRepairPayload' })
  await report('two-a', running())
  await report('two-b', running(instance))
  expect(liveClaims(instance)).toMatchObject([{ host: 'two-b', state: 'MATERIALISED' }])
  await found(['two-a', 'two-b'], [])
})

test("an instance without a claim gets one, with the size in the host's report or the size that an operator states", async () => {
  const [instance, second] = [randomUUID(), randomUUID()]
  await report('ghost', running(instance))
  const [finding] = await found(['ghost'], ['instance.unclaimed'])
  expect(finding.repair.options).toMatchObject([{ name: `instance:${instance}`, asksSize: false, asksOwner: true }])
  const tried = changesOf(await repair(finding.id, true))
  expect(Object.keys(tried)).toContainEqual(expect.stringMatching(/^claim /))
  expect(tried['host ghost classes.VCPU.claimed']).toBeUndefined()
  expect(liveClaims(instance)).toEqual([])
  expect(await repair(finding.id, false)).toMatchObject({ __typename: 'FindingRepairPayload', dryRun: false })
  expect(liveClaims(instance)).toMatchObject([{ host: 'ghost', state: 'MATERIALISED' }])
  await report('ghost', running(instance, second))
  expect(liveClaims(instance)).toMatchObject([{ host: 'ghost', state: 'MATERIALISED' }])
  const stated = { choose: `instance:${second}`, size: { vcpus: 1, memoryMib: 512 } }
  const [again] = await found(['ghost'], ['instance.unclaimed'])
  expect(await repair(again.id, true, 'a test', { ...stated, size: { vcpus: 1, memoryMib: -1 } })).toMatchObject({
    __typename: 'ValidationError',
    path: expect.arrayContaining(['size']),
  })
  expect(changesOf(await repair(again.id, true, 'a test', stated))['host ghost classes.MEMORY_MB.claimed']).toBeUndefined()
  expect(await repair(again.id, false, 'a test', stated)).toMatchObject({ __typename: 'FindingRepairPayload' })
  await found(['ghost'], [])
})

test('an instance that fills its host is claimed without further resources, and its decision can be replayed bit for bit', async () => {
  const instance = randomUUID()
  await report('filled', { ...running(instance), vcpusUsed: 16 * 16 })
  const [finding] = await found(['filled'], ['instance.unclaimed'])
  const size = (vcpus: number) => ({ size: { vcpus, memoryMib: 512 } })
  // if the claim needs more than the reported usage, the additional amount must be free on the host
  for (const dryRun of [true, false])
    expect(await repair(finding.id, dryRun, 'a test', { size: { vcpus: 2, memoryMib: 1_048_576 } })).toMatchObject({
      __typename: 'FindingRepairRefused',
      message: expect.stringContaining('on filled'),
    })
  const { hosts } = api.service.replica.fleet
  const free = () => hosts.classColumns('VCPU').free[hosts.find({ host: 'filled', node: 'filled' })?.index ?? -1]
  const before = free()
  expect(before).toBeLessThanOrEqual(0)
  expect(Object.keys(changesOf(await repair(finding.id, true, 'a test', size(8))))).toContainEqual(expect.stringMatching(/^claim /))
  expect(await repair(finding.id, false, 'a test', size(8))).toMatchObject({ __typename: 'FindingRepairPayload' })
  expect(liveClaims(instance)).toMatchObject([{ host: 'filled', state: 'MATERIALISED' }])
  expect(free()).toBe(before)
  const [claim] = api.service.replica.fleet.ledger.claimsFor(instance)
  const VERIFY = 'query ($id: ID!) { verifyDecision(id: $id) { outcome fidelity } }'
  const checked = await api.ask(VERIFY, { id: claim?.decision })
  expect(checked.data?.verifyDecision).toEqual({ outcome: 'SAME', fidelity: 'REPLAYED' })
  await found(['filled'], [])
})

test('if an operator claims an instance for a project and account, a placement of the instance by that account is refused as taken', async () => {
  const instance = randomUUID()
  await report('owned', running(instance))
  const [finding] = await found(['owned'], ['instance.unclaimed'])
  const owner = { project: 'owned-project', account: 'owned-account' }
  const operator = await api.keyWith('OPERATE')
  const byOperator = async (more: object) =>
    (await api.ask(REPAIR, { id: finding.id, reason: 'a test', dryRun: true, ...more }, operator)).data?.findingRepair
  expect(await byOperator(owner)).toMatchObject({ __typename: 'FindingRepairRefused', code: 'FORBIDDEN', path: ['account'] })
  expect(await byOperator({ project: owner.project })).toMatchObject({ __typename: 'FindingRepairPayload' })
  expect(await repair(finding.id, true, 'a test', { size: { vcpus: 0, memoryMib: 0 } })).toMatchObject({
    __typename: 'ValidationError',
    message: expect.stringContaining('at least one amount above 0'),
  })
  expect(await repair(finding.id, false, 'a test', owner)).toMatchObject({ __typename: 'FindingRepairPayload' })
  expect(api.service.replica.fleet.ledger.claimsFor(instance)).toMatchObject([owner])
  const { secret } = await api.service.keys.create({ name: 'k', account: 'owned-account', scopes: ['READ', 'SCHEDULE', 'CLAIM'] })
  const gantt = { instanceUuids: [instance], projectId: owner.project, flavor: { vcpus: 2, memoryMb: 1_024 } }
  const again = await api.ask(PLACE, { in: { idempotencyKey: randomUUID(), spec: { gantt } } }, secret)
  expect(again.data?.selectDestinations).toMatchObject({ __typename: 'InstanceTaken' })
})

test('a repair that claims nothing is refused if it states a project', async () => {
  await report('unowned', {})
  await place('unowned')
  const [finding] = await found(['unowned'], ['use.no_instances'])
  expect(await repair(finding.id, true, 'a test', { project: 'p' })).toMatchObject({
    __typename: 'FindingRepairRefused',
    path: ['project'],
  })
})

test('if a report states too little usage, the operator chooses to compute the usage from claims or to end the claim of a missing instance', async () => {
  await report('below', { instances: [] })
  const { instance, claim } = await place('below')
  await report('below', { instances: [instance] })
  const [finding] = await found(['below'], ['use.below_claims', 'use.below_claims'])
  expect(await repair(finding.id, true)).toMatchObject({
    message: `Choose one of used-from-claims, claim:${claim}, and pass it as choose.`,
  })
  expect(changesOf(await repair(finding.id, true, 'a test', { choose: 'used-from-claims' }))).toMatchObject({
    'host below usedFrom': [null, '"CLAIMS"'],
    'host below usedFromReason': [null, '"a test"'],
  })
  const ends = { choose: `claim:${claim}` }
  expect(changesOf(await repair(finding.id, true, 'gone', ends))[`claim ${claim} state`]).toEqual(['"MATERIALISED"', '"REVOKED"'])
  expect(await repair(finding.id, false, 'gone', ends)).toMatchObject({ __typename: 'FindingRepairPayload' })
  expect(liveClaims(instance)).toEqual([])
})

test('replacing a host needs ADMIN, even as a repair', async () => {
  const machineId = randomUUID()
  for (const host of ['same-a', 'same-b']) await report(host, { instances: [], machineId })
  const [finding] = await found(['same-a', 'same-b'], ['host.same_machine'])
  const variables = { id: finding.id, reason: 'a test', choose: 'host:same-b', dryRun: true }
  const { data } = await api.ask(REPAIR, variables, await api.keyWith('OPERATE'))
  expect(data?.findingRepair).toMatchObject({ __typename: 'FindingRepairRefused', code: 'FORBIDDEN' })
  expect(await repair(finding.id, true, 'a test', { choose: 'host:same-b' })).toMatchObject({ __typename: 'FindingRepairPayload' })
})

test('a repair needs a reason and an existing finding', async () => {
  expect(await repair('0000000000000000', true)).toMatchObject({ __typename: 'NotFound' })
  expect(await repair('0000000000000000', true, '')).toMatchObject({ __typename: 'ValidationError' })
})

test('of many findings, `findings` has a few of each code, and `allFindings` lists all by page and by code', async () => {
  const names = Array.from({ length: 110 }, (_, i) => `many${i}`)
  for (const name of names) {
    await report(name, { instances: null })
    await place(name)
  }
  const twice = randomUUID()
  for (const name of ['many-a', 'many-b']) await report(name, { instances: [twice], vcpusUsed: 2, memoryMbUsed: 1_024 })
  const COUNTS = '{ auditor { counts { code count } findings { id code } } }'
  const countOf = (auditor: Json, code: string): number => auditor.counts.find((one: Json) => one.code === code)?.count ?? 0
  await expect
    .poll(async () => countOf((await dataOf(api, COUNTS)).auditor, 'use.no_instances'), { timeout: 20_000 })
    .toBeGreaterThanOrEqual(110)
  await expect.poll(async () => countOf((await dataOf(api, COUNTS)).auditor, 'instance.two_hosts')).toBeGreaterThan(0)
  const { auditor } = await dataOf(api, COUNTS)
  const codes: string[] = auditor.findings.map(({ code }: Json) => code)
  expect(codes).toHaveLength(100)
  expect(new Set(codes)).toEqual(new Set(auditor.counts.map(({ code }: Json) => code)))
  expect(codes.indexOf('instance.two_hosts')).toBeLessThan(codes.indexOf('use.no_instances'))
  const PAGE = `query ($after: String, $codes: [String!]) { auditor { allFindings(first: 40, after: $after, codes: $codes) {
    totalCount pageInfo { hasNextPage hasPreviousPage endCursor } nodes { id code name } } } }`
  const pages = async (asked: readonly string[] | null): Promise<Json[]> => {
    const nodes: Json[] = []
    for (let after: string | null = null; ; ) {
      const page: Json = (await dataOf(api, PAGE, { after, codes: asked })).auditor.allFindings
      expect([page.nodes.length <= 40, page.pageInfo.hasPreviousPage]).toEqual([true, after !== null])
      nodes.push(...page.nodes)
      if (page.pageInfo.hasNextPage !== true) {
        expect(nodes).toHaveLength(page.totalCount)
        return nodes
      }
      after = page.pageInfo.endCursor
    }
  }
  const all = await pages(null)
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  expect(all.length).toBeGreaterThan(110)
  expect((await pages(['instance.two_hosts'])).map(({ name }) => name)).toContain(twice)
  expect((await pages(['instance.two_hosts', 'use.no_instances'])).length).toBeLessThan(all.length)
  const { errors } = await api.ask(PAGE, { codes: ['instance.two'] })
  expect(errors[0]?.message).toContain('a code of a finding')
})
