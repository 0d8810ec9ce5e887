import { describe, expect, test } from 'vitest'
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
