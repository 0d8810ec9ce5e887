import { useEffect, useRef, useState } from 'react'

/** How far a change is that is seen before it is made. */
export interface Change {
  /** What went wrong with what was asked last. */
  readonly problem: unknown
  /** Something is asked, or done. */
  readonly isBusy: boolean
  /** It is done: what is written now would not be in it. */
  readonly isMaking: boolean
  /** Asks what it would do. What comes after `forget`, or where nobody looks any more, is not of what is wanted now, and is dropped. */
  see<Answer>(call: () => Promise<Answer>, onSeen: (answer: Answer) => void): void
  /** Does it. Its answer is reported whatever is written meanwhile. */
  make<Answer>(call: () => Promise<Answer>, onMade: (answer: Answer) => void): void
  /** Something else is wanted. */
  forget(): void
}

/** A change as dialogs make it: the service says what it would touch, then it is done. */
export function useChange(): Change {
  const [problem, setProblem] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const [isMaking, setMaking] = useState(false)
  /** What is asked, or was asked last, to be seen. */
  const seeing = useRef<symbol>(undefined)
  const isThere = useRef(false)
  useEffect(() => {
    isThere.current = true
    return () => {
      isThere.current = false
    }
  }, [])
  const run = async <Answer>(call: () => Promise<Answer>, onAnswer: (answer: Answer) => void, counts: () => boolean): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    try {
      const answer = await call()
      if (counts()) onAnswer(answer)
    } catch (wrong) {
      if (counts()) setProblem(wrong)
    } finally {
      if (counts()) setBusy(false)
    }
  }
  return {
    problem,
    isBusy,
    isMaking,
    see(call, onSeen) {
      const mine = Symbol()
      seeing.current = mine
      void run(call, onSeen, () => isThere.current && seeing.current === mine)
    },
    make(call, onMade) {
      seeing.current = undefined
      setMaking(true)
      void run(call, onMade, () => true).finally(() => setMaking(false))
    },
    forget() {
      setProblem(undefined)
      if (seeing.current === undefined) return
      seeing.current = undefined
      setBusy(false)
    },
  }
}
