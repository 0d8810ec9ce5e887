import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { isSafeJson } from '../../../server/src/testing/json-rule.ts'
import { nestingOf } from './nesting.ts'
import { readOutput } from './output.ts'

const own = { name: { host: 'h1' }, namespace: 'power', conceal: (text: string) => text }
const read = (text: string) => readOutput(Buffer.from(text), own)
const document = { freeWatts: 5 }

describe('the output of a collector', () => {
  test.each<[string, object]>([
    ['the document and its version', {}],
    ['its own namespace and host', { namespace: 'power', host: 'h1', node: 'h1' }],
  ])('may have %s', (_name, more) => {
    expect(read(JSON.stringify({ version: '1.0', document, ...more }))).toEqual({ collected: { version: '1.0', document } })
  })

  test.each<[string, string, string, RegExp]>([
    ['half a document', '{"version":"1.0","document":{"freeWat', 'MALFORMED', /^its output is not one JSON document: /],
    ['two documents', '{"version":"1.0","document":{}}{"version":"1.0","document":{}}', 'MALFORMED', /not one JSON document/],
    ['nothing', ' \n', 'MALFORMED', /^it printed nothing/],
    ['a list', '[]', 'MALFORMED', /not a JSON object/],
    ['null', 'null', 'MALFORMED', /not a JSON object/],
    ['no version', '{"document":{}}', 'MALFORMED', /must have a "version"/],
    ['a document that is a list', '{"version":"1.0","document":[]}', 'MALFORMED', /must have a "document"/],
    ['an unknown member', '{"version":"1.0","document":{},"color":1}', 'MALFORMED', /has the member "color"/],
    ['another namespace', '{"version":"1.0","document":{},"namespace":"storage"}', 'FOREIGN', /the namespace "storage"/],
    [
      'another host',
      '{"version":"1.0","document":{},"host":"h2"}',
      'FOREIGN',
      /^it wants to report the host "h2"; it may report only namespace power of host h1$/,
    ],
    ['another node', '{"version":"1.0","document":{},"node":"n2"}', 'FOREIGN', /the node "n2"/],
    [
      'very many levels',
      `{"version":"1.0","document":{"a":${'['.repeat(100_000)}`,
      'MALFORMED',
      /has 100002 levels of lists and objects, and may have 32$/,
    ],
  ])('is refused if it has %s', (_name, text, code, why) => {
    expect(read(text)).toEqual({ error: { code, text: expect.stringMatching(why) } })
  })

  test.each<[string, string, RegExp]>([
    ['a number that is not safe', '{"a":[1e300]}', /: document\.a\.0 is 1e\+300; a number must be finite and between/],
    ['a number that is not finite', '{"a":1e999}', /: document\.a is Infinity; a number must be finite/],
    ['a NUL character', '{"a":"\\u0000"}', /: document\.a has a NUL character or half of a surrogate pair$/],
    ['half of a surrogate pair in a name', '{"\\ud800":1}', /: document has a member whose name has a NUL character/],
    ['a member __proto__', '{"a":{"__proto__":1}}', /: document\.a has a member __proto__$/],
    ['too many characters', `{"a":"${'x'.repeat(65_536)}"}`, /: it has 65544 characters of JSON, and may have 65536$/],
    ['very many values', `{"a":[${'0,'.repeat(300_000)}0]}`, /characters of JSON, and may have 65536$/],
  ])('is refused before it is sent if the document has %s', (_name, text, why) => {
    expect(read(`{"version":"1.0","document":${text}}`)).toEqual({
      error: { code: 'MALFORMED', text: expect.stringMatching(/^its document cannot be sent: /) },
    })
    expect(read(`{"version":"1.0","document":${text}}`)).toEqual({ error: { code: 'MALFORMED', text: expect.stringMatching(why) } })
  })

  test('is refused if its version has invisible characters', () => {
    expect(read('{"version":"1\\u200b.0","document":{}}')).toMatchObject({ error: { code: 'MALFORMED' } })
  })

  test('is sent only if the service can read it as JSON', () => {
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 40, depthSize: 'max' },
        fc.constantFrom(1e300, 2 ** 53, -(2 ** 53), 2 ** 53 - 1, '\0', '\ud800', '\udc00x', 'plain', null, true, 0.5),
        fc.string({ unit: 'binary' }),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'a')), tie('value'), { maxKeys: 3 }),
      ),
    })).value
    let sent = 0
    fc.assert(
      fc.property(fc.dictionary(fc.string({ maxLength: 3 }), value, { maxKeys: 3 }), (document) => {
        const result = read(JSON.stringify({ version: '1.0', document }))
        if ('collected' in result) sent++
        expect('collected' in result).toBe(isSafeJson(JSON.parse(JSON.stringify(document))))
      }),
      { numRuns: byExtent(2_000, 50_000), seed: 1 },
    )
    expect(sent).toBeGreaterThan(100)
  })

  test('is quoted in an error without secrets', () => {
    const conceal = (text: string): string => text.replaceAll('hunter2', '[hidden]')
    const errorOf = (text: string): string => {
      const result = readOutput(Buffer.from(text), { ...own, conceal })
      return 'error' in result ? result.error.text : ''
    }
    expect(errorOf('{"namespace":"hunter2","version":"1.0","document":{}}')).toContain('the namespace "[hidden]"')
    expect(errorOf(`{"${'x'.repeat(76)}hunter2":1}`)).not.toContain('hunt')
    expect(errorOf('{"version":"1.0","document":{"hunter2":1e300}}')).toContain('document.[hidden] is')
    expect(errorOf('hunter2 is no JSON')).not.toContain('hunt')
  })

  test('is refused if it is not UTF-8', () => {
    expect(readOutput(Buffer.from([0x7b, 0xff, 0x7d]), own)).toEqual({ error: { code: 'MALFORMED', text: 'its output is not UTF-8' } })
  })
})

test.each([
  ['1', 0],
  ['{"a":[1,{"b":2}],"c":[]}', 3],
  ['{"a":"[[[[","b":"\\"[[","c":"\\\\"}', 1],
])('the nesting of %s is %d', (text, depth) => {
  expect(nestingOf(text)).toBe(depth)
})
