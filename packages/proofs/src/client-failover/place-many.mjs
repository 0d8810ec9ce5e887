// Places many instances with @gantt/client, and prints a line of JSON for each. failover.ts describes what such a program gets and prints.
import { createGantt } from '@gantt/client'

const { GANTT_URLS = '', GANTT_KEY = '', GANTT_CALLS, GANTT_CALLS_AT_ONCE, GANTT_ATTEMPT_MS, GANTT_DEADLINE_MS } = process.env
const gantt = createGantt({
  url: GANTT_URLS.split(','),
  key: GANTT_KEY,
  attemptMs: Number(GANTT_ATTEMPT_MS),
  deadlineMs: Number(GANTT_DEADLINE_MS),
})

let left = Number(GANTT_CALLS)
async function placeUntilDone() {
  while (left > 0) {
    left -= 1
    const idempotencyKey = crypto.randomUUID()
    try {
      const answer = await gantt.selectDestinations({
        spec: { gantt: { flavor: { vcpus: 1, memoryMb: 64 } } },
        claim: { mode: 'CONFIRM' },
        idempotencyKey,
      })
      const claim = answer.__typename === 'SelectDestinationsPayload' ? answer.destinations[0]?.selected.claim?.id : undefined
      print(claim === undefined ? { key: idempotencyKey, error: answer.__typename } : { key: idempotencyKey, claim })
    } catch (error) {
      print({ key: idempotencyKey, error: String(error) })
    }
  }
}

const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)

await Promise.all(Array.from({ length: Number(GANTT_CALLS_AT_ONCE) }, placeUntilDone))
