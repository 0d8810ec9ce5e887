/** How long an answer may take. What is late is of unknown outcome, and is asked again. */
export const ANSWER_MS = 1_000
/**
 * How long a question waits for its answer before it is sent again while the first is under way. Where a leader is missing, questions are
 * dropped and never answered: whoever waited for one of those would not notice for a second that there is a leader again.
 */
const AGAIN_MS = 200

/**
 * Asks something that may be asked any number of times, again and again until the first answer; rejects when the first
 * question has gone unanswered for ANSWER_MS, or when one is answered by a refusal. `late` hears of further answers.
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
      if (asked >= ANSWER_MS / AGAIN_MS) clearInterval(timer)
    }
    const timer = setInterval(put, AGAIN_MS)
    put()
  })
}
