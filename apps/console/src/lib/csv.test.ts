import { expect, test } from 'vitest'
import { csvOf, fieldsShown, type RowField } from './csv.ts'

interface Row {
  readonly id: string
  readonly name: string
  readonly mib: number | null
}

const fields: readonly RowField<Row>[] = [
  ['id', ({ id }) => id],
  ['name', ({ name }) => name, 'name'],
  ['memoryMib', ({ mib }) => mib, 'memory'],
]

test('a copy has the identifying fields of each row, and the fields of the shown columns', () => {
  expect(csvOf(fieldsShown(fields, ['memory', 'other']), [{ id: 'a', name: 'b', mib: null }])).toBe('id,memoryMib\r\na,\r\n')
})

test.each([
  ['a comma', 'x, y', '"x, y"'],
  ['a quote', 'a"b', '"a""b"'],
  ['a line end', 'a\nb', '"a\nb"'],
  ['a formula', '=cmd()', "'=cmd()"],
  ['a formula with a comma', '+a,b', `"'+a,b"`],
])('%s is safe to open as a sheet', (_name, name, cell) => {
  expect(csvOf(fieldsShown(fields, ['name']), [{ id: 'i', name, mib: 1 }])).toBe(`id,name\r\ni,${cell}\r\n`)
})
