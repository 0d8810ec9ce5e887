import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { limits } from '../../limits.ts'
import { createDocumentTexts } from '../document-cache.ts'
import { toFault } from '../masking.ts'
import { createBodies } from './bodies.ts'
import { readParams } from './body.ts'

const query = '{ __typename }'

/** Reads a call with these variables, as JSON. Returns how many bytes it uses in addition to its text. */
async function useOf(variables: string, bodies = createBodies()): Promise<number> {
  const text = Buffer.from(`{"query":"${query}","variables":${variables}}`)
  const headers = { 'content-type': 'application/json', 'content-length': String(text.length) }
  await readParams(Object.assign(Readable.from([text]), { headers }), new Map(), createDocumentTexts(), bodies.begin('key'))
  return bodies.bytesOf('key') - text.length
}

test.each([
  ['no variables', 'null', 0, 0],
  ['two texts', '{"a":"b","c":"d"}', 0, 2],
  ['lists and objects, also nested ones', '{"a":[{},[]],"b":{"c":1,"d":[null,true]}}', 5, 3],
])('the parsed variables of a call are counted by their values: %s', async (_name, variables, containers, others) => {
  expect(await useOf(variables)).toBe(containers * limits.containerBytes + others * limits.valueBytes)
})

test('empty objects of a variable that the operation does not declare use the memory of a key until it gets 503', async () => {
  const bodies = createBodies()
  const list = `[${Array.from({ length: 80_000 }, () => '{}').join(',')}]`
  const variables = `{"undeclared":[${list},${list},${list}]}`
  expect(await useOf(variables, bodies)).toBeGreaterThanOrEqual(240_000 * 64)
  await useOf(variables, bodies)
  const refusal = await useOf(variables, bodies).catch((error: unknown) => toFault(error).extensions)
  expect(refusal).toMatchObject({ rule: 'limit.key_bodies', http: { status: 503 } })
})

test('a call of the largest size with the most lists and objects is within the limit of a key', () => {
  expect(limits.bodyBytes + limits.values * limits.containerBytes).toBeLessThanOrEqual(limits.keyBodiesBytes)
})

test('a body with too many values is refused before it is parsed', async () => {
  // the text is not JSON, so a parser would refuse it for another reason
  const text = `{"undeclared":[${'[],'.repeat(limits.values + 10)}`
  const refusal = await useOf(text).catch((error: unknown) => toFault(error).extensions)
  expect(refusal).toMatchObject({ rule: 'limit.values', allowed: `at most ${limits.values}` })
})

test('a body with as many values as are allowed is read', async () => {
  const list = (count: number): string => `[${Array.from({ length: count }, () => '0').join(',')}]`
  const lists = `{"a":${list(80_000)},"b":${list(80_000)},"c":${list(limits.values - 160_003)}}`
  expect(await useOf(lists)).toBe(3 * limits.containerBytes + (limits.values - 3) * limits.valueBytes)
})
