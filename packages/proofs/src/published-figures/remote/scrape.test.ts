import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { scrapeEffort } from './scrape.ts'

/** Starts an HTTP server that gives this answer to requests for `/metrics`. Returns the address at which a replica would have its API. */
async function aReplica(status: number, body: string): Promise<string> {
  const server = createServer((request, response) =>
    request.url === '/metrics' && request.headers.authorization === 'Bearer k'
      ? response.writeHead(status).end(body)
      : response.writeHead(404).end('not here'),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`
}

test("a replica's counters of conflicting proposals are read from its /metrics, by rule", async () => {
  const text = `# TYPE gantt_proposals_counted_total counter
gantt_proposals_counted_total 12
gantt_proposals_fruitless_total{rule="claim.no_room"} 3
gantt_proposals_fruitless_total{rule="append.refused"} 4
`
  expect(await scrapeEffort(await aReplica(200, text), 'k')).toEqual({
    counted: 12,
    fruitless: { 'claim.no_room': 3, 'append.refused': 4 },
  })
})

test.each([
  [403, 'the key must have the scope READ', 'answered 403: the key must have the scope READ'],
  [200, 'gantt_claims 3\n', 'has no metric gantt_proposals_counted_total; the replica has an older release'],
])('an answer of /metrics with the status %i and the text "%s" is reported as an error', async (status, body, message) => {
  await expect(scrapeEffort(await aReplica(status, body), 'k')).rejects.toThrow(message)
})

test('an unreachable replica is reported with its address', async () => {
  await expect(scrapeEffort('http://127.0.0.1:9/graphql', 'k')).rejects.toThrow(/^http:\/\/127\.0\.0\.1:9\/metrics: /)
})
