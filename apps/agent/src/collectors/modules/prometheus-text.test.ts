import { describe, expect, test } from 'vitest'
import { parseExposition } from './prometheus-text.ts'

const samplesOf = (text: string) =>
  parseExposition(text).samples.map(({ name, labels, value, timestamp }) => [name, labels, value, timestamp])

describe('samples', () => {
  test.each<[string, unknown]>([
    ['node_load1 0.5', ['node_load1', {}, 0.5, undefined]],
    ['  node_load1 \t 0.5  ', ['node_load1', {}, 0.5, undefined]],
    ['node_load1 0.5 1395066363000', ['node_load1', {}, 0.5, 1_395_066_363_000]],
    ['node_load1 0.5 -3982045', ['node_load1', {}, 0.5, -3_982_045]],
    ['requests{method="post",code="200"} 1027', ['requests', { method: 'post', code: '200' }, 1_027, undefined]],
    ['requests { method = "post" , code="200", } 3', ['requests', { method: 'post', code: '200' }, 3, undefined]],
    ['requests{} 3', ['requests', {}, 3, undefined]],
    ['requests{method="post"}3', ['requests', { method: 'post' }, 3, undefined]],
    [
      'm{path="C:\\\\DIR\\\\",error="cannot find \\"x\\"\\nnow"} 1',
      ['m', { path: 'C:\\DIR\\', error: 'cannot find "x"\nnow' }, 1, undefined],
    ],
    ['m{text="a,b} # 1"} 1', ['m', { text: 'a,b} # 1' }, 1, undefined]],
    ['ns:rate:sum 1e3', ['ns:rate:sum', {}, 1_000, undefined]],
    ['m 1.458255915e9', ['m', {}, 1_458_255_915, undefined]],
    ['m +Inf', ['m', {}, Number.POSITIVE_INFINITY, undefined]],
    ['m -Inf', ['m', {}, Number.NEGATIVE_INFINITY, undefined]],
    ['m NaN', ['m', {}, Number.NaN, undefined]],
    ['m 0x1F', ['m', {}, 31, undefined]],
    ['m .5', ['m', {}, 0.5, undefined]],
    ['m 5.', ['m', {}, 5, undefined]],
    ['m -0', ['m', {}, -0, undefined]],
    ['http_seconds_bucket{le="+Inf"} 144320', ['http_seconds_bucket', { le: '+Inf' }, 144_320, undefined]],
    ['rpc_seconds{quantile="0.5"} 4773', ['rpc_seconds', { quantile: '0.5' }, 4_773, undefined]],
    ['m{text="ä 漢"} 1', ['m', { text: 'ä 漢' }, 1, undefined]],
  ])('%s', (line, sample) => {
    expect(samplesOf(`${line}\n`)).toEqual([sample])
  })

  test('lines may end with a carriage return, and blank lines and comments have no meaning', () => {
    expect(samplesOf('\r\n# a comment\n#\n#HELP\tm x\nm 1\r\n\n')).toEqual([['m', {}, 1, undefined]])
  })

  test('a text without samples has none', () => {
    expect(parseExposition('')).toEqual({ families: new Map(), samples: [] })
  })
})

test('the type and the help of a metric are read, with their escapes', () => {
  const text = '# HELP m The \\\\ and\\nthe "end".\n# TYPE m counter\nm 1\n# TYPE n histogram\n# HELP o\n'
  expect([...parseExposition(text).families]).toEqual([
    ['m', { type: 'counter', help: 'The \\ and\nthe "end".' }],
    ['n', { type: 'histogram', help: undefined }],
    ['o', { type: 'untyped', help: '' }],
  ])
})

describe('a damaged text is refused as a whole, and the line is named', () => {
  test.each([
    ['m 1\nn 12', /^line 2 does not end with a line feed/],
    ['m 1\nn\n', /^line 2, column 2: found ""; it must have a value here$/],
    ['m one\n', /must have a number before this, not "one"/],
    ['m 1 now\n', /must end after the value, or after a time in whole milliseconds/],
    ['m 1 2 3\n', /must end after the value/],
    ['1m 1\n', /^line 1, column 1: .*the name of a metric/],
    ['m{a="1" 2\n', /a comma or } after a label/],
    ['m{a=1} 2\n', /the value of a label in quotes/],
    ['m{a} 2\n', /= after the name of a label/],
    ['m{a="1} 2\n', /end the value of a label with a quote/],
    ['m{a="\\x"} 2\n', /have n, \\ or " after a backslash/],
    ['m{a="1",a="2"} 2\n', /have the label a once/],
    ['m{"a"="1"} 2\n', /the name of a label/],
    ['# TYPE m number\n', /the type of m is "number"; it must be one of counter, gauge, histogram, summary, untyped/],
  ])('%j', (text, error) => {
    expect(() => parseExposition(text)).toThrow(error)
  })
})

test('a label of any name is only a label', () => {
  const [sample] = parseExposition('m{__proto__="1",constructor="2"} 3\n').samples
  expect(Object.entries(sample?.labels ?? {})).toEqual([
    ['__proto__', '1'],
    ['constructor', '2'],
  ])
})
