import { parseQuery, type QueryField } from '@gantt/scheduler-core/query'
import { InvalidArgumentError } from 'commander'

/** Parses an option that is a query in the filter grammar. A syntax error is marked below the text before any call is made. */
export const queryOf =
  (fields: readonly QueryField[]) =>
  (text: string): string => {
    const { problems } = parseQuery(text, fields)
    if (text.trim() !== '' && problems.length === 0) return text
    if (problems.length === 0) throw new InvalidArgumentError('It must not be empty.')
    const lines = problems.map(({ from, to, message }) => `  ${' '.repeat(from)}${'^'.repeat(Math.max(1, to - from))} ${message}`)
    throw new InvalidArgumentError(`\n  ${text}\n${lines.join('\n')}`)
  }

/** The names of a list's fields, for the help of its query option. */
export const fieldsHelp = (fields: readonly QueryField[]): string => `fields: ${fields.map(({ name }) => name).join(', ')}`
