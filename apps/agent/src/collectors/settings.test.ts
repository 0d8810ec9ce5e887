import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { InvalidSettings, parseCollectorSettings, readCollectorSettings } from './settings.ts'

const around = {
  lacks: (): readonly string[] => [],
  folder: '/etc/gantt',
  isFile: (file: string) => file === '/etc/gantt/own.mjs',
  accounts: () => 'root:x:0:0::/root:/bin/sh\nwatts:x:990:991::/:/bin/false\n',
}
const power = { name: 'power', namespace: 'power', command: ['/usr/lib/gantt/power', '--feed', 'a'] }
const ofAgent = (collector: string, options: object) => ({ name: 'own', namespace: 'facts', collector, options })
const parse = (document: unknown, change: Partial<typeof around> = {}) => parseCollectorSettings(document, { ...around, ...change })
const errorsOf = (...collectors: readonly unknown[]): readonly string[] => {
  try {
    parse({ collectors })
    return []
  } catch (error) {
    if (error instanceof InvalidSettings) return error.message.split('\n')
    throw error
  }
}

test('a collector has a default for every setting that is left out', () => {
  expect(parse({ collectors: [power] })).toEqual([
    {
      ...{ name: 'power', namespace: 'power', work: { kind: 'command', command: power.command }, options: {}, env: {} },
      ...{ intervalSeconds: 30, timeoutSeconds: 10, memoryMib: 256, user: undefined },
      ...{ pidNamespace: true, whileUnread: 'pause', slowIntervalSeconds: 600 },
    },
  ])
})

test('the setting of the file for namespaces that no profile reads applies to collectors without one', () => {
  const options = { folder: '/etc/facts', version: '1.0' }
  const other = { name: 'files', namespace: 'facts', collector: 'files', options, whileUnread: 'pause' }
  const read = parse({ whileUnread: 'slow', collectors: [power, other] })
  expect(read.map(({ whileUnread }) => whileUnread)).toEqual(['slow', 'pause'])
})

test('the path of a module refers to the folder of the settings', () => {
  const [one] = parse({ collectors: [{ name: 'own', namespace: 'facts', module: './own.mjs' }] })
  expect(one?.work).toEqual({ kind: 'module', file: '/etc/gantt/own.mjs' })
})

describe('the user of a collector', () => {
  test('is a user of the machine', () => {
    expect(parse({ collectors: [{ ...power, user: 'watts' }] })[0]?.user).toEqual({ name: 'watts', uid: 990, gid: 991 })
  })

  test('is refused by an agent that may not change the user', () => {
    // root in a container can lack any of them
    expect(() => parse({ collectors: [{ ...power, user: 'watts' }] }, { lacks: () => ['CAP_KILL'] })).toThrow(
      'collectors.0.user is "watts"; it must be left out: to run a collector as another user, and to end it, the agent needs CAP_SETUID, CAP_SETGID, CAP_KILL, and it lacks CAP_KILL',
    )
  })

  test('must exist', () => {
    expect(() => parse({ collectors: [{ ...power, user: 'nobody-here' }] })).toThrow('must be the name of a user in /etc/passwd')
  })
})

describe('wrong settings are named', () => {
  test.each<[unknown, RegExp]>([
    [1, /^collectors.0 is 1; it must be an object$/],
    [{ ...power, name: 'Power' }, /^collectors.0.name is "Power"; it must be a lower-case letter/],
    [{ ...power, namespace: 'compute' }, /^collectors.0.namespace is "compute"; .*other than compute and collectors/],
    [{ ...power, namespace: 'collectors' }, /which the agent itself reports$/],
    [{ ...power, command: 'power --feed a' }, /^collectors.0.command .*no shell reads them$/],
    [{ ...power, command: ['power'] }, /the absolute path of a program/],
    [{ ...power, command: [] }, /the absolute path of a program/],
    [{ ...power, module: './x.mjs' }, /^collectors.0 is .*; it must have exactly one of command/],
    [{ name: 'power', namespace: 'power' }, /exactly one of command/],
    [{ name: 'power', namespace: 'power', collector: 'watts' }, /it must be one of files, prometheus, power$/],
    [{ ...power, intervalSeconds: 0 }, /^collectors.0.intervalSeconds is 0; it must be a whole number of 1 to 86400$/],
    [{ ...power, timeoutSeconds: 1.5 }, /whole number of 1 to 600$/],
    [{ ...power, memoryMib: '256' }, /^collectors.0.memoryMib is "256"/],
    [{ ...power, intervalSeconds: 60, slowIntervalSeconds: 30 }, /slowIntervalSeconds is 30; it must be a whole number of 60 to 86400$/],
    [{ ...power, whileUnread: 'stop' }, /it must be "pause" or "slow"$/],
    [{ ...power, pidNamespace: 'no' }, /^collectors.0.pidNamespace is "no"; it must be true or false$/],
    [{ ...power, env: { GANTT_KEY: 'x' } }, /^collectors.0.env.GANTT_KEY .*does not begin with GANTT$/],
    [{ ...power, env: { FEED: 1 } }, /^collectors.0.env.FEED is 1; it must be a text without NUL$/],
    [{ ...power, options: [] }, /^collectors.0.options is a list of 0; it must be an object$/],
    [{ ...power, interval: 5 }, /^collectors.0.interval is 5; it must be left out/],
    [{ name: 'own', namespace: 'facts', module: './none.mjs' }, /module is "\.\/none\.mjs"; .* there is no file \/etc\/gantt\/none\.mjs$/],
    [{ name: 'own', namespace: 'facts', module: './own.mjs', memoryMib: 63 }, /memoryMib is 63; it must be a whole number of 64 to 65536$/],
    [{ ...power, command: ['/bin/x', 'a\0'] }, /^collectors.0.command is a list of 2; /],
    [ofAgent('power', {}), /^collectors.0.options.budgetWatts is absent; it must be a number of 1 to 1000000$/],
    [ofAgent('power', { budgetWatts: 5 }), /^collectors.0.options must have exactly one of rapl and bmc/],
    [
      ofAgent('power', { budgetWatts: 5, bmc: { file: 'watts' } }),
      /^collectors.0.options.bmc.file is "watts"; it must be an absolute path$/,
    ],
    [
      ofAgent('files', { folder: '/etc', version: '1', color: 1 }),
      /^collectors.0.options.color is 1; it must be left out: .*folder, version$/,
    ],
    [ofAgent('files', { folder: 'facts', version: '1' }), /^collectors.0.options.folder is "facts"; it must be an absolute path$/],
    [ofAgent('prometheus', { from: 'host:9100', version: '1' }), /^collectors.0.options.from is a text of 9 characters; it must be a URL/],
    [ofAgent('prometheus', { from: 'http://h', version: '1', fields: {} }), /^collectors.0.options.fields is absent or empty/],
  ])('%j', (one, error) => {
    expect(errorsOf(one)).toEqual([expect.stringMatching(error)])
  })

  test('no error shows a value that can be a secret', () => {
    const secret = 'hunter2'
    const wrong = [
      { ...power, command: ['power', `--password=${secret}`] },
      { ...power, command: secret },
      { ...power, module: './own.mjs', options: { token: secret } },
      { ...power, options: secret },
      { ...power, env: { KEY: `${secret}\0` } },
      { ...power, env: secret },
      { ...power, env: { GANTT_KEY: secret } },
      { ...power, password: secret },
      ofAgent('files', { folder: '/etc', version: '1', password: secret }),
      ofAgent('prometheus', { from: `gopher://ann:${secret}@host/?key=${secret}`, version: '1' }),
      ofAgent('prometheus', { from: 'http://host', version: '1', fields: { a: secret } }),
      ofAgent('power', { budgetWatts: 5, bmc: secret }),
      secret,
    ]
    for (const one of wrong) {
      expect(errorsOf(one)).not.toEqual([])
      expect(errorsOf(one).join()).not.toContain(secret)
    }
    expect(() => parse({ collectors: [], password: secret })).toThrow(/^password is a text of 7 characters; it must be left out/)
    expect(() => parse({ password: secret })).toThrow(/^the document is an object with password; it must be an object with a list/)
  })

  test('all errors are named at once, and two collectors of one namespace are an error', () => {
    expect(errorsOf({ ...power, memoryMib: 1 }, { ...power, name: 'again', timeoutSeconds: 0 })).toEqual([
      expect.stringContaining('collectors.0.memoryMib'),
      expect.stringContaining('collectors.1.timeoutSeconds'),
      expect.stringContaining('collectors.1.namespace is "power"; it must be the namespace of one collector'),
    ])
  })

  test.each([undefined, [], {}, { collectors: {} }])('a document without a list of collectors: %j', (document) => {
    expect(() => parse(document)).toThrow('must be an object with a list "collectors"')
  })
})

describe('the file with the settings', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantt-settings-'))
  const write = (name: string, text: string): string => {
    writeFileSync(path.join(folder, name), text)
    return path.join(folder, name)
  }

  test('is JSON or TOML', () => {
    const json = write('one.json', JSON.stringify({ collectors: [power] }))
    const toml = write(
      'one.toml',
      '[[collectors]]\nname = "power"\nnamespace = "power"\ncommand = ["/usr/lib/gantt/power", "--feed", "a"]\n',
    )
    expect(readCollectorSettings(toml)).toEqual(readCollectorSettings(json))
  })

  test.each([
    ['half.json', '{"collectors": [', /half\.json: it must be a JSON document, .*: it is not JSON: it ends too early$/],
    ['deep.json', '['.repeat(1_000), /deep\.json: .*it must have at most 64 levels/],
    ['secret.json', '{"collectors": [], "key": hunter2}', /secret\.json: (?!.*hunter2)/s],
    ['secret.toml', 'collectors = []\nkey = hunter2', /secret\.toml: .*: line 2, column 7: (?!.*hunter2)/s],
    [
      'nan.toml',
      'collectors = [{ options = { limit = nan } }]',
      /nan\.toml: .*: collectors\.0\.options\.limit is NaN; a number must be finite$/,
    ],
    ['wrong.toml', 'collectors = ', /wrong\.toml: it must be a JSON document, or TOML if its name ends in \.toml/],
    ['empty.json', '{}', /empty\.json: the document is an object with no members/],
  ])('%s is refused, and named', (name, text, error) => {
    expect(() => readCollectorSettings(write(name, text))).toThrow(error)
  })

  test('must be UTF-8', () => {
    const file = path.join(folder, 'latin.json')
    writeFileSync(file, Buffer.from([0x7b, 0xff, 0x7d]))
    expect(() => readCollectorSettings(file)).toThrow(/it is not UTF-8$/)
  })

  test('must exist', () => {
    expect(() => readCollectorSettings(path.join(folder, 'none.json'))).toThrow(
      /none\.json: the settings of collectors cannot be read: ENOENT/,
    )
    rmSync(folder, { recursive: true })
  })
})
