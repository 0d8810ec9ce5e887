import { useEffect, useRef, useState } from 'react'

/** The progress of a change that is previewed before it is made. */
export interface Change {
  /** The error of the last request. */
  readonly problem: unknown
  /** True if a request is running. */
  readonly isBusy: boolean
  /** True if the change is being made. The form must then be disabled, because later input would not be included. */
  readonly isMaking: boolean
  /**
   * Requests a preview of the effect. An answer that arrives after `forget` or after unmounting is dropped, because it does not belong to
   * the present input.
   */
  see<Answer>(call: () => Promise<Answer>, onSeen: (answer: Answer) => void): void
  /** Makes the change. Its answer is shown even if the input changes meanwhile. */
  make<Answer>(call: () => Promise<Answer>, onMade: (answer: Answer) => void): void
  /** Must be called when the input has changed, so that the answer of a running preview is dropped. */
  forget(): void
}

/** A change in a dialog: the service first returns the effect of the change, and then makes the change. */
export function useChange(): Change {
  const [problem, setProblem] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const [isMaking, setMaking] = useState(false)
  /** Identifies the latest preview, so that answers of earlier previews are dropped. */
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
