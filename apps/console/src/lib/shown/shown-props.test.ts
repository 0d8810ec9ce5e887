import { expect, test } from 'vitest'
import { jsx, jsxs } from './jsx-runtime.ts'
import { shownProps } from './shown-props.ts'

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['text', { children: 'a\u202eb' }, { children: 'a\\u{202e}b' }],
  ['text among elements', { children: ['a\u0007', 1, null] }, { children: ['a\\u{7}', 1, null] }],
  [
    'text in attributes',
    { title: '\u2066x', 'aria-label': '\u009bx', className: 'c' },
    { title: '\\u{2066}x', 'aria-label': '\\u{9b}x', className: 'c' },
  ],
  ['an unpaired surrogate', { children: '\ud83d' }, { children: '\\u{d83d}' }],
])('%s is escaped', (_name, props, shown) => expect(shownProps(props)).toEqual(shown))

test.each<[string, Record<string, unknown>]>([
  ['lines and tabs of code', { children: 'a\n\tb' }],
  ['names in any script', { children: 'Zürich 東京 שלום 😀' }],
  ['the value of an input', { value: 'a\u202eb', defaultValue: '\u0007' }],
  ['anything but text', { children: [1, null, true, { a: 'b\u202e' }], onClick: () => undefined }],
])('%s: the same object is returned', (_name, props) => expect(shownProps(props)).toBe(props))

test('elements are created with escaped texts', () => {
  expect(jsx('b', { children: 'a\u202eb' }).props).toEqual({ children: 'a\\u{202e}b' })
  expect(jsxs('b', { children: ['a\u202eb', 'c'] }, 'k')).toMatchObject({ key: 'k', props: { children: ['a\\u{202e}b', 'c'] } })
})
