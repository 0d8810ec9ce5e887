import { checkpointOf, type Fleet, restoreFleet } from '@gantt/scheduler-core'
import { aClaim, aUuid } from '@gantt/scheduler-core/testing'
import { fleetFromParts, toParts } from '../apps/server/src/sync/parts.ts'
import { aLogOf } from './fleet.ts'
import { measureInTurns } from './measure.ts'
import type { Question } from './question.ts'

/** One claim on every second host. */
const HOSTS_PER_CLAIM = 2

/** Measures how a replica that joins a large fleet reads its checkpoint, without the time that the store needs. */
export const join: Question = {
  name: 'join',
  asks: 'What does it cost a replica to read the checkpoint of a fleet with a claim on every second host?',
  floor: 'the texts of the checkpoint parsed as JSON, and nothing else',
  rounds: 5,
  async run({ hosts = 100_000, rounds }) {
    const fleet = aFleet(hosts)
    const texts = textsOf(fleet)
    const megabytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1_000_000
    const checkpoint = checkpointOf(fleet)
    const { parsed, restored, joined, written } = await measureInTurns(rounds, {
      parsed: () => {
        for (const text of texts) JSON.parse(text)
      },
      restored: () => restoreFleet(checkpoint),
      joined: () => readFleet(texts),
      written: () => textsOf(fleet),
    })
    const what = `${hosts} hosts, ${fleet.ledger.claims.size} claims, ${megabytes.toFixed(1)} MB`
    return [
      { what: `${what}; parsed`, unit: 'ms', ...parsed, p99: null, ratio: null },
      { what: 'fleet built from the parsed checkpoint', unit: 'ms', ...restored, p99: null, ratio: restored.median / parsed.median },
      { what: 'fleet built while the texts are parsed', unit: 'ms', ...joined, p99: null, ratio: joined.median / parsed.median },
      { what: 'written', unit: 'ms', ...written, p99: null, ratio: written.median / parsed.median },
    ]
  },
}

/** For this measurement and that of memory: a fleet with reports, aggregates for zones, and claims that hosts do not report yet. */
export function aFleet(hosts: number): Fleet {
  const log = aLogOf(hosts)
  const names = log.fleet.hosts.records.map(({ host }) => host)
  log.append(
    names
      .filter((_, i) => i % HOSTS_PER_CLAIM === 0)
      .map((host, i) => aClaim({ key: `key ${i}`, hosts: [host], ids: [aUuid(i)], grants: { classes: { DISK_GB: 1 } }, mode: 'CONFIRM' })),
  )
  return log.fleet
}

function textsOf(fleet: Fleet): readonly string[] {
  const { head, parts } = toParts(checkpointOf(fleet))
  return [head, ...parts()]
}

const readFleet = ([head = '', ...parts]: readonly string[]): Promise<Fleet> =>
  fleetFromParts({})(
    head,
    (async function* () {
      yield* parts
    })(),
  )
