import { expect, test } from 'vitest'
import { type VirtualClock, virtualClock } from '../../testing/virtual-clock.ts'
import { reportStates, type States } from './report-states.ts'

interface Trial {
  readonly clock: VirtualClock
  readonly reporting: States
  /** The states that were sent, each with its second. */
  readonly sent: (readonly [number, string])[]
  /** The seconds at which the agent asked without states. */
  readonly asked: number[]
  change(states: string): void
  /** A namespace is no longer read, or all namespaces are read again. */
  setAsking(isAsking: boolean): void
  end(): Promise<void>
}

function begin(isAccepted: () => boolean, { isAsking = false, burst = 4, repeatMs = 240_000 } = {}): Trial {
  let isUnread = isAsking
  const clock = virtualClock()
  const stop = new AbortController()
  let states = 'first'
  const sent: (readonly [number, string])[] = []
  const asked: number[] = []
  const reporting = reportStates({
    states: () => states,
    send: async (one) => {
      sent.push([clock.now() / 1_000, one])
      return isAccepted()
    },
    ask: async () => void asked.push(clock.now() / 1_000),
    isAsking: () => isUnread,
    ...{ repeatMs, burst, clock, signal: stop.signal },
  })
  return {
    ...{ clock, reporting, sent, asked },
    change(next) {
      states = next
      reporting.changed()
    },
    setAsking(next) {
      isUnread = next
      if (next) reporting.asking()
    },
    end: async () => {
      stop.abort()
      await reporting.ended
    },
  }
}

test('states are sent at once when the service knows the host and when they change, and are repeated', async () => {
  const { clock, reporting, sent, change, end } = begin(() => true)
  reporting.known()
  await clock.advance(5_000)
  change('second')
  await clock.advance(240_000)
  expect(sent).toEqual([
    [0, 'first'],
    [5, 'second'],
    [245, 'second'],
  ])
  await end()
})

test('while a namespace is not read, states are repeated every 20 s, because the answer says what is read', async () => {
  const { clock, reporting, sent, asked, end } = begin(() => true, { isAsking: true })
  reporting.known()
  await clock.advance(60_000)
  expect(sent.map(([at]) => at)).toEqual([0, 20, 40, 60])
  expect(asked).toEqual([])
  await end()
})

test.each([0, 3])('a namespace that becomes unread is asked for within 20 s, even if %i changes are left', async (left) => {
  const { clock, reporting, sent, change, setAsking, end } = begin(() => true, { burst: 3 })
  reporting.known()
  await clock.advance(1_000)
  for (let changes = 0; changes < 3 - left; changes++) {
    change(`change ${changes}`)
    await clock.advance(1_000)
  }
  const before = sent.length
  setAsking(true)
  change('paused')
  await clock.advance(60_000)
  const times = sent.slice(before).map(([at]) => at)
  expect(times.length).toBeGreaterThanOrEqual(3)
  const gaps = [4 - left, ...times].map((at, i, all) => (all[i + 1] ?? at) - at)
  expect(Math.max(...gaps)).toBeLessThanOrEqual(20)
  await end()
})

test('states that were not accepted are owed: they are sent again after growing pauses', async () => {
  let isUp = false
  const { clock, reporting, sent, change, end } = begin(() => isUp)
  reporting.known()
  await clock.advance(30_000)
  // a change meanwhile does not shorten the pause, and the newest states are sent
  change('second')
  await clock.advance(1_000_000)
  expect(sent.map(([at]) => at)).toEqual([0, 20, 60, 140, 300, 540, 780, 1_020])
  expect(sent.at(-1)).toEqual([1_020, 'second'])
  isUp = true
  await clock.advance(230_000)
  expect(sent.at(-1)).toEqual([1_260, 'second'])
  // once they were accepted, a change is sent at once again
  change('third')
  await clock.advance(1)
  expect(sent.at(-1)).toEqual([1_260, 'third'])
  await end()
})

test('while states are not accepted and a namespace is not read, the agent asks every 20 s without states', async () => {
  const { clock, reporting, sent, asked, end } = begin(() => false, { isAsking: true })
  reporting.known()
  await clock.advance(100_000)
  expect(sent.map(([at]) => at)).toEqual([0, 20, 60])
  expect(asked).toEqual([20, 40, 60, 80, 100])
  await end()
})

test('the agent asks also while states are being sent, which can take long', async () => {
  const clock = virtualClock()
  const stop = new AbortController()
  const asked: number[] = []
  let sends = 0
  const reporting = reportStates({
    ...{ states: () => 'first', isAsking: () => true, repeatMs: 240_000, burst: 4, clock, signal: stop.signal },
    // from the second time on there is no answer
    send: async () =>
      ++sends === 1 ? false : await new Promise<boolean>((resolve) => stop.signal.addEventListener('abort', () => resolve(false))),
    ask: async () => void asked.push(clock.now() / 1_000),
  })
  reporting.known()
  await clock.advance(100_000)
  expect([sends, asked]).toEqual([2, [20, 40, 60, 80, 100]])
  stop.abort()
  await reporting.ended
})

test.each([false, true])(
  'a collector that works and fails by turns changes the log at most every four minutes (a namespace is not read: %s)',
  async (isAsking) => {
    const { clock, reporting, sent, change, end } = begin(() => true, { burst: 6, isAsking })
    reporting.known()
    await clock.advance(0)
    for (let second = 0; second < 3_600; second++) {
      change(second % 2 === 0 ? 'fails' : `works since ${second}`)
      await clock.advance(1_000)
    }
    // the service does not write states that are equal to the last ones
    const written = sent.filter(([, states], i) => states !== sent[i - 1]?.[1])
    expect(written.length).toBeLessThanOrEqual(1 + 6 + 3_600 / 240)
    expect(written.length).toBeGreaterThan(15)
    // the state at the end is shown in the end
    change('works')
    await clock.advance(240_000)
    expect(sent.at(-1)?.[1]).toBe('works')
    await end()
  },
)

test('states that are to be removed are sent until they are accepted, and are not repeated', async () => {
  let isUp = false
  const { clock, reporting, sent, end } = begin(() => isUp, { repeatMs: Number.POSITIVE_INFINITY })
  reporting.known()
  await clock.advance(10_000)
  isUp = true
  await clock.advance(10_000_000)
  expect(sent.map(([at]) => at)).toEqual([0, 20])
  await end()
})
