import { parse, print } from 'graphql'
import { expect, test } from 'vitest'
import { readHeader, writeDocument } from './written.ts'

test.each([
  ['query Hosts { hosts { name } }', { kind: 'query', name: 'Hosts', takesMoment: false }],
  [
    '\n  query Host($host: String!, $at: Moment) {\n    host(host: $host, at: $at) { name }\n  }\n',
    { kind: 'query', name: 'Host', takesMoment: true },
  ],
  ['query Counts(\n  $old: String!, $at: Moment\n) { hosts { name } }', { kind: 'query', name: 'Counts', takesMoment: true }],
  ['query At($attempts: Int) { hosts(at: "1") { name } }', { kind: 'query', name: 'At', takesMoment: false }],
  ['mutation End($ids: [ID!]!) { end(ids: $ids) }', { kind: 'mutation', name: 'End', takesMoment: false }],
  ['subscription Tail { reported }', { kind: 'subscription', name: 'Tail', takesMoment: false }],
  ['fragment Row on Host { name }', undefined],
  ['{ hosts { name } }', undefined],
])('the header is read from the document %j', (text, header) => expect(readHeader(text)).toEqual(header))

test('a document is printed with its fragments, without indentation, and with the same meaning', () => {
  const row = writeDocument(`
    fragment Row on Host {
      name
    }
  `)
  const written = writeDocument(
    `
    query Hosts {
      hosts { ...Row }
    }
  `,
    [row],
  )
  expect(written.text).toBe('query Hosts {\n  hosts { ...Row }\n}\n\nfragment Row on Host {\n  name\n}')
  expect(print(parse(written.text))).toBe(print(parse('query Hosts { hosts { ...Row } } fragment Row on Host { name }')))
})
