import type { Gantt } from '@gantt/client'
import { afterAll, expect, test } from 'vitest'
import { collectorProcesses } from '../../../../testing/collector-processes.ts'
import type { AgentEvent } from '../events.ts'
import { reportCollectors } from './collect-all.ts'
import type { CollectorSettings } from './settings.ts'

afterAll(() => expect(collectorProcesses()).toEqual([]))

const collector = (name: string, script: string): CollectorSettings => ({
  ...{ name, namespace: name, work: { kind: 'command', command: [process.execPath, '-e', script] } },
  ...{ options: {}, env: {}, intervalSeconds: 30, timeoutSeconds: 60, memoryMib: 512, user: undefined, pidNamespace: true },
  ...{ whileUnread: 'pause', slowIntervalSeconds: 3_600 },
})
const steady = `process.stdout.write('{"version":"1.0","document":{}}')`
const lost = new Error('the connection was lost')

interface Sent {
  readonly namespace: string
  readonly document: { readonly collectors?: readonly { readonly name: string; readonly state: string }[] }
}

/** A service whose calls fail for these namespaces, and what was sent to it. It has only the part of the client that collectors use. */
function serviceWithout(failing: readonly string[]) {
  const sent: Sent[] = []
  const gantt = {
    updateResourceStats: async ([update]: readonly { readonly report: { readonly namespace: Sent } }[]) => {
      if (update === undefined || failing.includes(update.report.namespace.namespace)) throw lost
      sent.push(update.report.namespace)
      return { results: [{ __typename: 'ResourceStatsApplied', required: null }] }
    },
  } as unknown as Gantt
  return { gantt, sent }
}
const report = (
  gantt: Gantt,
  settings: readonly CollectorSettings[],
  required?: readonly string[],
  notify: (event: AgentEvent) => void = () => undefined,
) => reportCollectors({ gantt, name: { host: 'h1' }, settings, required, notify }, new AbortController().signal)

test('a call that fails hides no outcome of the other collectors, and their states are reported', async () => {
  const { gantt, sent } = serviceWithout(['lost'])
  const settings = [
    collector('lost', steady),
    collector('sends', steady),
    collector('crashes', 'process.exit(4)'),
    collector('unread', steady),
  ]
  const { outcomes, unreported } = await report(gantt, settings, ['lost', 'sends', 'crashes'])
  expect(outcomes.map((outcome) => [outcome.settings.name, outcome.type])).toEqual([
    ['lost', 'unsent'],
    ['sends', 'sent'],
    ['crashes', 'failed'],
    ['unread', 'paused'],
  ])
  expect(outcomes[0]).toMatchObject({ why: { text: 'the connection was lost', cause: lost } })
  expect(unreported).toBeUndefined()
  const states = sent.find(({ namespace }) => namespace === 'collectors')?.document.collectors
  // whether the service can be reached says nothing about the collector
  expect(states?.map(({ name, state }) => [name, state])).toEqual([
    ['lost', 'WAITING'],
    ['sends', 'SENDING'],
    ['crashes', 'FAILING'],
    ['unread', 'PAUSED'],
  ])
})

test('if the call with the states fails, the outcomes are known all the same', async () => {
  const { gantt } = serviceWithout(['collectors'])
  const { outcomes, unreported } = await report(gantt, [collector('sends', steady)])
  expect(outcomes.map(({ type }) => type)).toEqual(['sent'])
  expect(unreported).toEqual({ text: 'the connection was lost', cause: lost })
})

test('the log says once whether collectors have PID namespaces, and which of them have none by their settings', async () => {
  const events: AgentEvent[] = []
  const settings = [collector('one', steady), collector('other', steady), { ...collector('outside', steady), pidNamespace: false }]
  await report(serviceWithout([]).gantt, settings, undefined, (event) => events.push(event))
  const remarks = events.flatMap((one) => (one.event === 'remark' && one.text.includes('PID namespace') ? [one.text] : []))
  expect(remarks).toEqual([
    expect.stringMatching(/^runs of collectors have (no )?PID namespaces of their own/),
    'by their settings, these collectors have no PID namespaces: outside',
  ])
})
