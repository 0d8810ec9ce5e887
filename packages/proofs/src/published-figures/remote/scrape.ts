import { UnreachableError } from '@gantt/client'
import { type Counts, RemoteError } from './remote.ts'

const COUNTED = /^gantt_proposals_counted_total (\d+)$/m
const FRUITLESS = /^gantt_proposals_fruitless_total\{rule="([^"]*)"\} (\d+)$/gm

/** A replica's counters of its own proposals since its start. They are read from `/metrics`, on the same server as `/graphql`. */
export async function scrapeEffort(graphqlUrl: string, key: string): Promise<Counts> {
  const url = new URL('metrics', graphqlUrl).href
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } }).catch((error: unknown) => {
    throw new UnreachableError(`${url}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  })
  const text = await response.text()
  if (!response.ok) throw new RemoteError(`${url} answered ${response.status}: ${text.trim().slice(0, 200)}`)
  const counted = COUNTED.exec(text)?.[1]
  if (counted === undefined) throw new RemoteError(`${url} has no metric gantt_proposals_counted_total; the replica has an older release`)
  return {
    counted: Number(counted),
    fruitless: Object.fromEntries([...text.matchAll(FRUITLESS)].map(([, rule, times]) => [rule, Number(times)])),
  }
}
