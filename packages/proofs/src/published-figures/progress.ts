import { SingleBar } from 'cli-progress'

/** Shows the progress of a long run on standard error, if that is a terminal. */
export interface Progress {
  step(): void
  show(done: number, of: number): void
  close(): void
}

/** `show` updates the bar only once in this many steps. */
const STEPS_PER_SHOW = 64

export function openProgress(noun: string, total: number): Progress {
  if (!process.stderr.isTTY) return { step() {}, show() {}, close() {} }
  const bar = new SingleBar({
    stream: process.stderr,
    format: `{bar} {percentage} % of {total} ${noun}, {duration_formatted}`,
    barsize: 30,
    clearOnComplete: true,
    hideCursor: true,
  })
  bar.start(total, 0)
  let steps = 0
  return {
    step() {
      steps++
      bar.update(steps)
    },
    show(done, of) {
      if (done % STEPS_PER_SHOW !== 0 && done !== of) return
      if (bar.getTotal() !== of) bar.setTotal(of)
      bar.update(done)
    },
    close: () => bar.stop(),
  }
}
