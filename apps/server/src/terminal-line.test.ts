import { expect, test } from 'vitest'
import { terminalLine } from './terminal-line.ts'

test.each([
  ['plain text is unchanged', 'Listening on http://127.0.0.1:4400/graphql', 'Listening on http://127.0.0.1:4400/graphql'],
  ['line breaks are unchanged', 'Error: no\n    at here', 'Error: no\n    at here'],
  ['a control sequence in the name of a host is escaped', 'host h\u001b[2J\u009b1m: no claim', 'host h\\u{1b}[2J\\u{9b}1m: no claim'],
  ['a carriage return is escaped', 'bad\rgood', 'bad\\u{d}good'],
  ['a change of the text direction is escaped', 'a\u202eb', 'a\\u{202e}b'],
])('in what the service prints, %s', (_name, message, printed) => expect(terminalLine(message)).toBe(`${printed}\n`))
