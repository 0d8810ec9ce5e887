import { expect, test } from 'vitest'
import { gantt, oneLine, widthOf } from '../../testing/gantt.ts'
import { useOwnService } from '../../testing/own-service.ts'
import { type AuditRow, findBreak, START } from '../audit/chain.ts'

const own = useOwnService({ withFleet: false })
const { run } = own

interface Made {
  readonly key: { readonly id: string; readonly expiresAt: string | null; readonly replaces: string | null }
  readonly secret: string
}

const create = ['keys', 'create', '--name', 'of-a-test', '--account', 'nova']

test('a key is created, listed, rotated and revoked', async () => {
  const shown = await run(...create, '--scopes', 'read,schedule', '--expires', 'P90D')
  expect([shown.code, shown.err, widthOf(shown.out) <= 80]).toEqual([0, '', true])
  expect(shown.out).toMatch(/\nscopes +READ,SCHEDULE\n[\s\S]*\nsecret +gantt_[\w-]{32}\nThe secret is not shown again\.\n$/)
  const { key, secret } = oneLine<Made>(await run(...create, '--scopes', 'READ', '--json'))
  const listed = await run('keys', 'list')
  expect([listed.code, widthOf(listed.out) <= 80]).toEqual([0, true])
  expect(listed.out).toContain(key.id)
  expect(listed.out).not.toContain(secret)
  const fresh = oneLine<Made>(await run('keys', 'rotate', key.id, '--overlap', 'PT10M', '--json'))
  expect(fresh.key.replaces).toBe(key.id)
  expect((await gantt({ GANTT_URL: own.service.url, GANTT_KEY: fresh.secret }, 'hosts')).code).toBe(0)
  expect((await run('keys', 'revoke', key.id)).out).toMatch(/\nstate +REVOKED\n/)
  expect((await run('keys', 'list')).out).not.toContain(key.id)
  expect((await run('keys', 'list', '--all')).out).toContain(key.id)
  const refused = await gantt({ GANTT_URL: own.service.url, GANTT_KEY: secret }, 'hosts')
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('does not know the key')])
})

test.each([
  ['an unknown scope', [...create, '--scopes', 'WRITE'], 2, 'WRITE is not a scope'],
  ['a duration that is not ISO 8601', [...create, '--scopes', 'READ', '--expires', '10d'], 2, 'a duration such as P90D'],
  ['a key for one host with another scope than REPORT', [...create, '--scopes', 'READ', '--host', 'h1'], 2, 'input.scopes'],
  ['an unknown key', ['keys', 'revoke', 'nobody'], 2, 'There is no key'],
  ['a head without its hash', ['audit', 'verify', '--expect', '12'], 2, 'a row and its hash'],
])('%s exits with a message', async (_name, args, exitCode, message) => {
  const { out, err, code } = await run(...args)
  expect([out, err, code]).toEqual(['', expect.stringContaining(message), exitCode])
})

test('the audit is listed, and its verification checks that a row that was printed earlier is still there', async () => {
  await run(...create, '--scopes', 'READ')
  const listed = await run('audit', 'list', '--query', 'mutation:apiKey*')
  expect([listed.code, widthOf(listed.out) <= 80]).toEqual([0, true])
  expect(listed.out).toContain('apiKeyCreate')
  const { rows, head } = oneLine<{ rows: number; head: { seq: number; hash: string } }>(await run('audit', 'verify', '--json'))
  expect([rows, head.seq]).toEqual([expect.any(Number), rows])
  await run(...create, '--scopes', 'READ')
  const whole = await run('audit', 'verify', '--expect', `${head.seq}:${head.hash}`)
  expect([whole.code, whole.out]).toEqual([0, expect.stringMatching(/^The audit is intact: \d+ rows\.\nhead {2}\d+:[0-9a-f]{64}\n$/)])
  const longer = await run('audit', 'verify', '--expect', `${head.seq + 100}:${head.hash}`)
  expect([longer.code, longer.out]).toEqual([1, expect.stringContaining('the chain ends at row')])
  const other = await run('audit', 'verify', '--expect', `${head.seq}:${'0'.repeat(64)}`)
  expect([other.code, other.out]).toEqual([1, expect.stringContaining('has another hash')])
})

test('verification names the first row that was edited, removed or moved', async () => {
  const { rows } = oneLine<{ rows: readonly AuditRow[] }>(await run('audit', 'list', '--first', '1000', '--json'))
  const chain = [...rows].reverse()
  const edited = (change: Partial<AuditRow>) => chain.map((row, i) => (i === 2 ? { ...row, ...change } : row))
  expect(findBreak(chain, START)).toBe(undefined)
  expect(findBreak(edited({ account: 'somebody' }), START)?.what).toBe('row 3 was edited: its hash is not that of its contents')
  expect(findBreak(edited({ at: '2020-01-01T00:00:00.000Z' }), START)).toMatchObject({ seq: 3 })
  expect(findBreak(edited({ previous: '0'.repeat(64) }), START)?.what).toContain('row 3 does not follow row 2')
  expect(findBreak([...chain.slice(0, 1), ...chain.slice(2)], START)?.what).toBe('row 2 is missing: row 3 comes after row 1')
  expect(findBreak([...chain.slice(0, 1), ...chain.slice(3)], START)?.what).toContain('rows 2 to 3 are missing')
  expect(findBreak([...chain.slice(0, 3), ...chain.slice(1)], START)).toEqual({ seq: 2, what: 'row 2 comes after row 3' })
})
