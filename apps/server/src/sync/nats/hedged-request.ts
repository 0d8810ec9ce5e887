/** A request without an answer for this long fails. Its outcome is unknown, and the caller repeats it. */
export const ANSWER_MS = 1_000
/**
 * A request without an answer for this long is sent again, while the first is still pending. Requests to a cluster without a leader are
 * dropped and never answered. Without repeating, the client would not notice a new leader for a second.
 */
const HEDGE_DELAY_MS = 200

/**
 * Repeats an idempotent request until the first answer. Rejects if the first request is unanswered after ANSWER_MS, or if a request is
 * refused. `late` is called with further answers.
 */
export function hedged<T>(ask: () => Promise<T>, late: (answer: T) => void = () => undefined): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let asked = 0
    let isOver = false
    const end = (settle: () => void): void => {
      isOver = true
      clearInterval(timer)
      settle()
    }
    const put = (): void => {
      asked++
      void (async () => ask())().then(
        (answer) => {
          if (isOver) late(answer)
          else end(() => resolve(answer))
        },
        (error: unknown) => {
          if (!isOver) end(() => reject(error))
        },
      )
      if (asked >= ANSWER_MS / HEDGE_DELAY_MS) clearInterval(timer)
    }
    const timer = setInterval(put, HEDGE_DELAY_MS)
    put()
  })
}
