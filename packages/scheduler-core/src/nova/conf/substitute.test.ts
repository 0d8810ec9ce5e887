import { expect, test } from 'vitest'
import { substitute } from './substitute.ts'

const values: Readonly<Record<string, string>> = {
  a: '1',
  'g.b': '2',
  deep: `$a-$${'{g.b}'}`,
  me: '$me',
  ping: '$pong',
  pong: '$ping',
  long: 'x'.repeat(40_000),
  bomb0: '',
  ...Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`bomb${i + 1}`, `$bomb${i}$bomb${i}`])),
}
const lookup = (reference: string) => (Object.hasOwn(values, reference) ? { key: reference, text: values[reference] ?? '' } : undefined)

test.each([
  ['nothing to replace', 'a, b', 'a, b'],
  ['a name', '$a', '1'],
  ['a name in braces', `$${'{a}'}2`, '12'],
  ['an option of a section', '$g.b', '2'],
  ['an option whose value contains references', '<$deep>', '<1-2>'],
  ['two dollar signs become one', '$$a', '$a'],
  ['a dollar after a backslash', '\\$a', '$a'],
  ['a dollar without a name after it', '$1 $', '$1 $'],
  ['an option that is referred to several times is computed once', '$bomb60', ''],
])('%s', (_what, text, expected) => expect(substitute(text, lookup)).toEqual({ ok: true, text: expected }))

test.each([
  ['a reference to an option that is not set', '$nobody', 'refers to $nobody, which the file does not set'],
  ['an option that refers to itself', '$me', 'refers to itself by $me'],
  ['an option that refers to itself through another one', '$ping', 'refers to itself by $ping'],
  ['a value that grows beyond the limit', '$long$long', 'becomes longer than 65536 characters'],
])('%s is refused', (_what, text, why) => expect(substitute(text, lookup)).toEqual({ ok: false, why: expect.stringContaining(why) }))
