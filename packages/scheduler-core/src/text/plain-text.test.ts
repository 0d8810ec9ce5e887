import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { findUnplain, isPlain, showUnseen } from './plain-text.ts'

describe('only a text with visible characters can be a name, and only such a text is shown unchanged', () => {
  test.each([
    'cmp-1',
    'rack 12',
    'Zürich',
    '東京',
    'שלום',
    'مرحبا',
    'a😀b',
    'é',
    '👩‍👩‍👧',
    '⚠\ufe0f z1',
    '1\ufe0f\u20e3',
    '🏳\ufe0f\u200d🌈',
    '👍🏽',
    '👍🏽\ufe0f',
    '☎\ufe0e',
    '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    '\u06dd\u0600',
    'x'.repeat(255),
  ])('%s can be a name', (text) => expect([isPlain(text), showUnseen(text)]).toEqual([true, text]))

  test.each<[string, string, string]>([
    ['NUL', 'a\u0000b', 'a\\u{0}b'],
    ['a line break', 'a\nb', 'a\\u{a}b'],
    ['a carriage return, after which terminals overwrite the line', 'good\rbad', 'good\\u{d}bad'],
    ['a tab', 'a\tb', 'a\\u{9}b'],
    ['an escape sequence of terminals', '\u001b[2J\u001b]0;x\u0007', '\\u{1b}[2J\\u{1b}]0;x\\u{7}'],
    ['backspaces', 'a\bb', 'a\\u{8}b'],
    ['delete', 'a\u007fb', 'a\\u{7f}b'],
    ['an escape sequence that begins with an 8-bit character', '\u009b2J', '\\u{9b}2J'],
    ['a next-line character', 'a\u0085b', 'a\\u{85}b'],
    ['an override of the text direction', 'a\u202etxt.exe', 'a\\u{202e}txt.exe'],
    ['a directional embedding', '\u202aa\u202c', '\\u{202a}a\\u{202c}'],
    ['a directional isolate', '\u2066a\u2069', '\\u{2066}a\\u{2069}'],
    ['directional marks', '\u200ea\u200f\u061c', '\\u{200e}a\\u{200f}\\u{61c}'],
    ['separators of lines and paragraphs', 'a\u2028b\u2029', 'a\\u{2028}b\\u{2029}'],
    ['the first half of a surrogate pair', 'a\ud83db', 'a\\u{d83d}b'],
    ['the second half of a surrogate pair', '\ude00', '\\u{de00}'],
    ['the halves of a surrogate pair in the wrong order', '\ude00\ud83d', '\\u{de00}\\u{d83d}'],
    ['a zero-width space', 'a\u200bb', 'a\\u{200b}b'],
    ['zero-width joiners and non-joiners between letters', 'a\u200cb\u200dc', 'a\\u{200c}b\\u{200d}c'],
    ['a word joiner, and a byte order mark', '\u2060a\ufeff', '\\u{2060}a\\u{feff}'],
    ['a soft hyphen', 'a\u00adb', 'a\\u{ad}b'],
    ['invisible operators', 'a\u2062b\u2064', 'a\\u{2062}b\\u{2064}'],
    ['tags', 'a\u{e0061}', 'a\\u{e0061}'],
    ['a variation selector after a letter or a digit', 'a\ufe0f1\ufe0f', 'a\\u{fe0f}1\\u{fe0f}'],
    ['further variation selectors', 'a\ufe00b\u{e0100}', 'a\\u{fe00}b\\u{e0100}'],
    ['a grapheme joiner', 'a\u034fb', 'a\\u{34f}b'],
    ['Hangul fillers', '\u115f\u1160\u3164\uffa0', '\\u{115f}\\u{1160}\\u{3164}\\u{ffa0}'],
    ['invisible Khmer vowels', '\u17b4\u17b5', '\\u{17b4}\\u{17b5}'],
    ['the empty Braille pattern', 'a\u2800', 'a\\u{2800}'],
    ['a joiner after an emoji that joins nothing', '👩\u200da', '👩\\u{200d}a'],
    [
      'letters of a region after another flag',
      '\u{1f3f3}\u{e0067}\u{e0062}\u{e0065}\u{e007f}',
      '\u{1f3f3}\\u{e0067}\\u{e0062}\\u{e0065}\\u{e007f}',
    ],
    ['a second selector after an emoji', '⚠\ufe0f\ufe0f', '⚠\ufe0f\\u{fe0f}'],
  ])('a text with %s cannot be a name', (_name, text, shown) => expect([isPlain(text), showUnseen(text)]).toEqual([false, shown]))

  test('a text is examined only up to its first invisible character', () => {
    const executed = vi.spyOn(RegExp.prototype, 'exec')
    const isName = isPlain('\u200d'.repeat(10_000))
    const matches = executed.mock.calls.length
    executed.mockRestore()
    expect(isName).toBe(false)
    expect(matches).toBeLessThanOrEqual(2)
  })

  test('showUnseen converts any text to a text that can be a name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(isPlain(showUnseen(text))).toBe(true)
        expect(showUnseen(showUnseen(text))).toBe(showUnseen(text))
      }),
    )
  })
})

describe('invisible characters in a document', () => {
  const bad = 'a\u202eb'
  test('invisible characters in keys and texts are found with their paths, in order', () => {
    expect(findUnplain({ a: [bad, { ok: 'x', [bad]: 1 }], b: bad }, 10)).toEqual([
      { path: ['a', '0'], found: bad },
      { path: ['a', '1', bad], found: bad },
      { path: ['b'], found: bad },
    ])
  })

  test('free texts are not checked, but their keys are', () => {
    const free = ([first]: readonly string[], what: 'key' | 'text') => first === 'raw' || (first === 'values' && what === 'text')
    expect(findUnplain({ values: { key: 'a\nb', 'k\n': 'x' }, raw: { [bad]: bad } }, 10, free)).toEqual([
      { path: ['values', 'k\n'], found: 'k\n' },
    ])
  })

  test('a free field of the document is not searched, and free texts are not examined further than to the first invisible character', () => {
    let searched = 0
    const raw = new Proxy(
      { text: bad },
      {
        ownKeys(target) {
          searched++
          return Reflect.ownKeys(target)
        },
      },
    )
    const free = ([first]: readonly string[], what: 'key' | 'text') => first === 'raw' || (first === 'values' && what === 'text')
    const executed = vi.spyOn(RegExp.prototype, 'exec')
    const found = findUnplain({ raw, values: { key: '\u200d'.repeat(10_000) } }, 10, free)
    const matches = executed.mock.calls.length
    executed.mockRestore()
    expect([found, searched]).toEqual([[], 0])
    expect(matches).toBeLessThanOrEqual(10)
  })

  test('at most the requested count of findings is returned, and any nesting depth is searched', () => {
    expect(
      findUnplain(
        Array.from({ length: 100 }, () => bad),
        3,
      ),
    ).toHaveLength(3)
    let deep: unknown = bad
    for (let i = 0; i < 20_000; i++) deep = i % 200 === 199 ? { deep } : [deep]
    expect(findUnplain(deep, 3)).toHaveLength(1)
  })
})
