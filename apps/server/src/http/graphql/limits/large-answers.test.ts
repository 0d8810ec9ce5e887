import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf, startTestService, type TestService } from '../../../testing/test-service.ts'
import { limits } from '../../limits.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
  // each report has the largest allowed size, and four such reports fit into one call
  const traits = Array.from({ length: 1_024 }, (_, i) => `CUSTOM_${'A'.repeat(240)}${String(i).padStart(4, '0')}`)
  const features = Array.from({ length: 900 }, (_, i) => `${i}`.padEnd(230, 'x'))
  for (let i = 0; i < 12; i += 4)
    await api.report(Object.fromEntries([0, 1, 2, 3].map((j) => [`big${i + j}`, { traits, cpuInfo: { features } }])))
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const aliases = (field: string, count = 30): string => Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ')

test.each(['stats', 'traits'])('a key with READ cannot get an unlimited answer by selecting %s under many aliases', async (field) => {
  const key = await api.keyWith('READ')
  const query = `{ hosts(first: 30, query: "host:big*") { edges { node { ${aliases(field)} } } } }`
  const answers = await Promise.all(Array.from({ length: 6 }, () => api.ask(query, {}, key)))
  for (const { status, data, errors, text } of answers) {
    expect(data).toBeUndefined()
    expect(text.length).toBeLessThan(1_000)
    // answers that are computed at the same time can also reach the limit for all answers together
    expect([
      [400, 'limit.answer'],
      [429, 'limit.answers'],
    ]).toContainEqual([status, errors[0]?.extensions.rule])
    expect(errors[0]?.extensions.requestId).toEqual(expect.any(String))
  }
})

test('an answer of many MiB within the limit arrives completely', async () => {
  const { data, text } = await api.ask(`{ hosts(first: 12, query: "host:big*") { edges { node { name ${aliases('stats', 3)} } } } }`)
  const { edges } = (data as never as { hosts: { edges: { node: { name: string; a2: { traits: string[] } } }[] } }).hosts
  expect(edges).toHaveLength(12)
  expect(edges.every(({ node }) => node.a2.traits.length === 1_024)).toBe(true)
  expect(text.length).toBeGreaterThan(12 * 1024 * 1024)
  expect(text.length).toBeLessThan(limits.answerBytes)
})

test('events of a stream are limited like answers, a long event arrives completely, and the stream continues', async () => {
  const big = JSON.stringify(Array.from({ length: 12 }, (_, i) => `big${i}`))
  await api.report({ small: {} })
  await dataOf(api, `mutation { aggregateCreate(input: { name: "large", hosts: ["small", ${big.slice(1, -1)}] }) { __typename } }`)
  const stats = (count: number): string => `aggregates(first: 2) { nodes { hosts(first: 20) { nodes { ${aliases('stats', count)} } } } }`
  const follow = async (fields: string): Promise<() => Promise<string>> => {
    const response = await fetch(api.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${await api.keyWith('READ')}`, accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ query: `subscription { hostChanged(query: "host:small") { revision host { name ${fields} } } }` }),
      signal: leaving.signal,
    })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    return async () => {
      for (;;) {
        const { value = '', done } = (await reader?.read()) ?? { done: true }
        if (done) throw new Error(`the stream ended: ${text.slice(0, 200)}`)
        text += value
        // an event arrives in many chunks, so a long text is not searched at each of them
        if (!value.endsWith('\n\n')) continue
        const event = /^data: (.+)\n\n/m.exec(text)?.[1]
        text = ''
        if (event !== undefined) return event
      }
    }
  }
  const leaving = new AbortController()
  const [within, beyond] = await Promise.all([follow(stats(3)), follow(stats(12))])
  for (const vcpus of [17, 18]) {
    await api.report({ small: { vcpus } })
    const event = await within()
    expect(event.length).toBeGreaterThan(12 * 1024 * 1024)
    expect(JSON.parse(event).data.hostChanged.host.name).toBe('small')
    const { data, errors } = JSON.parse(await beyond())
    expect({ data, rule: errors[0].extensions.rule, count: errors.length }).toEqual({ data: undefined, rule: 'limit.answer', count: 1 })
  }
  leaving.abort()
})
