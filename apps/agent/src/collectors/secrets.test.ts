import { expect, test } from 'vitest'
import { concealing } from './secrets.ts'
import type { Work } from './settings.ts'
import { withoutUrlSecrets } from './urls.ts'

const command = (...args: readonly string[]): Work => ({ kind: 'command', command: ['/usr/bin/collect', ...args] })
const conceal = (text: string, work: Work, options = {}, env = {}): string => concealing({ work, options, env })(text)

test.each([
  ['http://host:9100/metrics failed', 'http://host:9100/metrics failed'],
  ['http://ann:hunter2@host/metrics?token=abc&x=1 failed', 'http://[hidden]@host/metrics?[hidden] failed'],
  ['"https://ann@host?key=abc", and http://x/?a=b', '"https://[hidden]@host?[hidden]", and http://x/?[hidden]'],
  ['ftp://a:b@c:d@host/x', 'ftp://[hidden]@host/x'],
])('in %s, the user and the query of a URL are removed', (text, shown) => {
  expect(withoutUrlSecrets(text)).toBe(shown)
})

test('a long text without a URL is read once', () => {
  // read once for each of its characters, it would take longer than a test may
  const letters = 'a'.repeat(200_000)
  expect(withoutUrlSecrets(`${letters}://ann:b@host/?x=1`)).toBe(`${letters}://[hidden]@host/?[hidden]`)
})

test('an argument, an option and a variable are replaced by the name of their setting', () => {
  const text = 'no answer for hunter2, tiger-3, s3cret and open9'
  const options = { login: { keys: ['tiger-3'] } }
  expect(conceal(text, command('-p', 'hunter2', '--token=s3cret'), options, { DSN: 'open9' })).toBe(
    'no answer for [argument 2], [options.login.keys.0], [argument 3] and [env.DSN]',
  )
})

test('a secret is found on each of its lines, encoded for a URL, and as a text of JSON', () => {
  const key = 'BEGIN KEY\nMIIEvQIBADANBg\nEND KEY'
  expect(conceal('bad key: MIIEvQIBADANBg', command(), {}, { KEY: key })).toBe('bad key: [env.KEY]')
  expect(conceal('GET /?p=pa%20ss%2Fword "pa\\"ss"', command('pa ss/word', 'pa"ss'))).toBe('GET /?p=[argument 1] "[argument 2]"')
})

test('the longest of several values that overlap is replaced', () => {
  expect(conceal('hunter2-long', command('hunter2', 'hunter2-long'))).toBe('[argument 2]')
})

test("in the options of the agent's own collectors, only the parts of a URL are secrets", () => {
  const options = { from: 'http://ann:hunt%2Fer2@host/?token=abcd', fields: { load: { metric: 'node_load1' } } }
  expect(conceal('no node_load1; hunt/er2, hunt%2Fer2, abcd', { kind: 'own', name: 'prometheus' }, options)).toBe(
    'no node_load1; [options.from], [options.from], [options.from]',
  )
})
