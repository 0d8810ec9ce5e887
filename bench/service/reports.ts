import type { Documents } from '../../apps/server/src/plugin/outside/documents.ts'
import { Replica } from '../../apps/server/src/replica/replica.ts'
import type { ReportInput } from '../../apps/server/src/services/stats/report-input.ts'
import { createStats } from '../../apps/server/src/services/stats/stats.ts'
import { createMemoryStore } from '../../apps/server/src/sync/memory/memory.ts'
import { measureInTurns } from '../measure.ts'
import type { Figure, Question } from '../question.ts'

const BATCH = 200
const INCARNATION = '00000000-0000-4000-8000-000000000001'
const NO_DOCUMENTS: Documents = {
  check: () => {
    throw new Error('no plug-in is asked, because no document is reported')
  },
}

/** Reports that continue the earlier ones, of successive hosts. With `isChanged`, each changes its host. */
function createReporter(hosts: number) {
  const reported = Array.from({ length: hosts }, () => ({ sequence: 0, logged: 0, content: 0 }))
  let next = 0
  return (form: 'full' | 'delta', isChanged: boolean): ReportInput[] =>
    Array.from({ length: Math.min(BATCH, hosts) }, () => {
      const index = next++ % hosts
      const state = reported[index] as (typeof reported)[number]
      const baseSequence = state.logged
      state.sequence++
      if (isChanged) Object.assign(state, { content: state.content + 1, logged: state.sequence })
      const used = { memoryMbUsed: 512 * (state.content % 64), numIoOps: state.content % 5 }
      const full = {
        ...{ vcpus: 128, vcpusUsed: 0, memoryMb: 524_288, localGb: 4_096, localGbUsed: 0, ...used },
        ...{ cpuAllocationRatio: 1, ramAllocationRatio: 1, diskAllocationRatio: 1 },
        ...{ hypervisorType: 'QEMU', hypervisorVersion: 7_002_000, hypervisorHostname: `host-${index}` },
      }
      const delta = { baseSequence, ...(isChanged && used) }
      const name = { host: `host-${index}` }
      return { name, incarnation: INCARNATION, sequence: state.sequence, ...(form === 'full' ? { full } : { delta }) }
    })
}

/** Measures the service of reports without its API and database: reading, comparing, judging and applying them. */
export const reportsQuestion: Question = {
  name: 'reports',
  asks: 'What does a batch of reports cost, without the API and the database?',
  floor: 'the reports of a batch, parsed as JSON and written again',
  rounds: 200,
  async run({ hosts = 10_000, rounds }) {
    const store = createMemoryStore(Date.now)
    const replica = await Replica.start({
      ...{ store: store.open(), name: 'bench', recordUnlogged: async () => undefined, mayCheckpoint: () => false },
      warn: (message) => {
        throw new Error(message)
      },
    })
    try {
      const stats = createStats(replica, NO_DOCUMENTS)
      const report = createReporter(hosts)
      for (let reported = 0; reported < hosts; reported += BATCH) await stats.update(report('full', true))
      const send = async (form: 'full' | 'delta', isChanged: boolean): Promise<void> => {
        const { results } = await stats.update(report(form, isChanged))
        const wrong = results.find((one) => one.type !== 'applied' || one.unchanged === isChanged)
        if (wrong !== undefined) throw new Error(`expected every report to be applied, found ${wrong.type}`)
      }
      const text = JSON.stringify(report('full', false))
      const figures = await measureInTurns(rounds, {
        json: () => JSON.stringify(JSON.parse(text)),
        full: () => send('full', true),
        fullHeartbeat: () => send('full', false),
        delta: () => send('delta', true),
        deltaHeartbeat: () => send('delta', false),
      })
      const each = Math.min(BATCH, hosts)
      const figure = (name: keyof typeof figures, words: string): Figure => ({
        what: `${each} of ${hosts} hosts; ${words}`,
        unit: 'ms',
        ...figures[name],
        ratio: name === 'json' ? null : figures[name].median / figures.json.median,
      })
      return [
        figure('json', 'JSON alone'),
        figure('full', 'full, changed'),
        figure('fullHeartbeat', 'full, unchanged'),
        figure('delta', 'delta, changed'),
        figure('deltaHeartbeat', 'delta, unchanged'),
      ]
    } finally {
      await replica.close()
    }
  },
}
