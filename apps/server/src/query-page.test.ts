import { readFileSync } from 'node:fs'
import { aggregateFields, auditFields, claimFields, decisionFields, hostFields, type QueryField } from '@gantt/scheduler-core/query'
import { expect, test } from 'vitest'

const page = readFileSync(new URL('../../../docs/query.md', import.meta.url), 'utf8')

/** The page's row for a field. */
function rowOf({ name, aliases = [], kind, unit, values, description }: QueryField): string {
  const names = [name, ...aliases].map((one) => `\`${one}\``).join(', ')
  const kinds =
    kind === 'enum'
      ? (values ?? []).join(', ')
      : kind === 'text' || kind === 'time'
        ? kind
        : unit === 'count'
          ? 'number'
          : `number, ${unit}`
  return `| ${names} | ${kinds} | ${description} |`
}

test.each([
  ['Hosts', hostFields],
  ['Decisions', decisionFields],
  ['Aggregates', aggregateFields],
  ['Claims', claimFields],
  ['The audit', auditFields],
])('docs/query.md describes the present fields of %s', (title, fields) => {
  const section = page.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('| `'))
  expect(rows).toEqual(fields.map(rowOf))
})
