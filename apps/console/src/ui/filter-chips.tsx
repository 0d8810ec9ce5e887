import { cutTerm, parseQuery, type QueryField } from '@gantt/scheduler-core/query'
import { IconX } from '@tabler/icons-react'
import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef } from 'react'
import './filter-chips.css'

export interface FilterChipsProps {
  /** The label of the filter. */
  readonly label: string
  readonly fields: readonly QueryField[]
  /** The filter that holds. */
  readonly value: string
  /** Where it is written; more may have been written since. */
  readonly input: RefObject<HTMLInputElement | null>
  /** The filter without a term that was taken out. */
  onChange(value: string): void
}

/** The terms of a filter next to each other, each as it is written: a press leads to it, Delete, Backspace or its cross take it out. */
export function FilterChips({ label, fields, value, input, onChange }: FilterChipsProps) {
  const list = useRef<HTMLUListElement>(null)
  const terms = termsOf(value, fields)
  const isAny = terms.length > 0
  useRoomFor(list, isAny)
  /** What was asked for and does not hold yet: the next term is taken out of that. */
  const asked = useRef<readonly string[]>([])
  useLayoutEffect(() => {
    // anything else than what was asked here came from elsewhere
    asked.current = asked.current.slice(asked.current.indexOf(value) + 1 || asked.current.length)
  }, [value])
  const edit = (wanted: string): void => {
    const bar = input.current
    if (bar === null) return
    const { from, to } = termsOf(bar.value, fields).find(({ written }) => written === wanted) ?? {
      from: bar.value.length,
      to: bar.value.length,
    }
    // in this order: what is chosen as the focus comes is scrolled into sight
    bar.setSelectionRange(from, to)
    bar.focus()
  }
  const takeOut = (at: number): void => {
    const written = terms[at]?.written
    const chips = [...(list.current?.querySelectorAll<HTMLElement>('[data-term]') ?? [])]
    // before it goes, so that the focus is never on nothing; of equal terms it is the chip of the last that goes
    const hasEqual = terms.slice(at + 1).some((other) => other.written === written)
    const next = hasEqual ? chips[at] : (chips[at + 1] ?? chips[at - 1] ?? input.current)
    next?.focus()
    const held = asked.current.at(-1) ?? value
    const taken = termsOf(held, fields).find((term) => term.written === written)
    if (taken === undefined) return
    const left = cutTerm(held, taken)
    asked.current = [...asked.current, left]
    onChange(left)
  }
  const press = (at: number, event: KeyboardEvent): void => {
    if (event.key !== 'Delete' && event.key !== 'Backspace') return
    event.preventDefault()
    takeOut(at)
  }

  if (!isAny) return null
  return (
    <ul ref={list} className="g-chips mono" aria-label={`${label}: terms`}>
      {terms.map(({ negated, written }, at) => (
        <li key={keyOf(terms, at)} data-negated={negated || undefined}>
          <button
            type="button"
            data-term={written}
            title={`${written}\nClick to edit, Delete to remove`}
            aria-keyshortcuts="Delete Backspace"
            aria-label={negated ? `${written}, excluded` : undefined}
            onClick={() => edit(written)}
            onKeyDown={(event) => press(at, event)}
          >
            {written}
          </button>
          {/* by keys it goes from the term itself: one stop for each is enough */}
          <button type="button" tabIndex={-1} aria-label={`Remove ${written}`} onClick={() => takeOut(at)}>
            <IconX size={12} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  )
}

const termsOf = (text: string, fields: readonly QueryField[]) =>
  parseQuery(text, fields).query.terms.map(({ negated, from, to }) => ({ negated, from, to, written: text.slice(from, to) }))

/** The same for a term wherever others go: its text, and how many like it stand before it. */
const keyOf = (terms: readonly { readonly written: string }[], at: number): string => {
  const written = terms[at]?.written ?? ''
  return `${terms.slice(0, at).filter((other) => other.written === written).length} ${written}`
}

/** Lists, which are as high as the window leaves them, leave room for it too: `--g-chips` is what it takes, in pixels. */
function useRoomFor(list: { readonly current: HTMLElement | null }, isShown: boolean): void {
  useLayoutEffect(() => {
    const { style } = document.documentElement
    const shown = list.current
    if (!isShown || shown === null) return
    const measure = (): void => {
      // the gap above it too
      style.setProperty('--g-chips', `${shown.offsetHeight + Number.parseFloat(getComputedStyle(shown).marginTop)}px`)
    }
    const observer = new ResizeObserver(measure)
    observer.observe(shown)
    measure()
    return () => {
      observer.disconnect()
      style.removeProperty('--g-chips')
    }
  }, [list, isShown])
}
