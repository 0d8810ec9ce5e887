import { readFileSync } from 'node:fs'
import { auditCodes, codes } from '@gantt/scheduler-core'
import { expect, test } from 'vitest'
import { migrationCodes } from './db/migrate.ts'
import { embeddedPostgresCodes } from './embedded-postgres/error.ts'
import { engineChangeCodes } from './engine-change/error.ts'
import { haltCodes } from './replica/mode.ts'
import { faultCodes } from './schema/types/faults.ts'
import { callCodes } from './services/calls/codes.ts'
import { degradedCodes } from './services/replica/health.ts'

const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
const rows = page.split('\n').flatMap((line) => {
  const [, code, ...cells] = /^\| `([^`]+)` \|(.*)\|$/.exec(line) ?? []
  return code === undefined
    ? []
    : [
        {
          code,
          cells: cells
            .join('')
            .split('|')
            .map((cell) => cell.trim()),
        },
      ]
})

test('docs/errors.md lists every code of the source once, and no other code', () => {
  const all = [
    ...Object.keys(codes),
    ...Object.keys(auditCodes),
    ...Object.keys(haltCodes),
    ...Object.keys(callCodes),
    ...embeddedPostgresCodes,
    ...migrationCodes,
    ...engineChangeCodes,
    ...degradedCodes,
    ...faultCodes,
  ]
  expect(rows.map(({ code }) => code).sort()).toEqual(all.sort())
})

test('docs/errors.md has the text of each code in the source, and a remedy', () => {
  const catalogue: Readonly<Record<string, string>> = { ...codes, ...auditCodes, ...haltCodes, ...callCodes }
  for (const { code, cells } of rows) {
    if (catalogue[code] !== undefined) expect({ code, says: cells[0] }).toEqual({ code, says: catalogue[code] })
    expect({ code, cure: cells.at(-1) }).not.toEqual({ code, cure: '' })
  }
})
