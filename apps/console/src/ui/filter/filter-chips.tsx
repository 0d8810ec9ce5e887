import { cutTerm, parseQuery, type QueryField } from '@gantt/scheduler-core/query'
import { IconX } from '@tabler/icons-react'
import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef } from 'react'
import './filter-chips.css'

export interface FilterChipsProps {
  /** The label of the filter. */
  readonly label: string
  readonly fields: readonly QueryField[]
  /** The applied filter. */
  readonly value: string
  /** The input of the filter, which can contain newer text than the applied filter. */
  readonly input: RefObject<HTMLInputElement | null>
  /** Called when a term was removed, with the remaining filter. */
  onChange(value: string): void
}

/**
 * The terms of a filter as they were typed. A click on a term moves the caret to it. Delete, Backspace or the cross of a term remove the
 * term.
 */
export function FilterChips({ label, fields, value, input, onChange }: FilterChipsProps) {
  const list = useRef<HTMLUListElement>(null)
  const terms = termsOf(value, fields)
  const isAny = terms.length > 0
  useRoomFor(list, isAny)
  /** The filters that were requested but are not applied yet. The next removed term is removed from the last of these filters. */
  const asked = useRef<readonly string[]>([])
  useLayoutEffect(() => {
    // if the applied filter is not one of the requested filters, it was set in another way, and the requested filters are outdated
    asked.current = asked.current.slice(asked.current.indexOf(value) + 1 || asked.current.length)
  }, [value])
  const edit = (wanted: string): void => {
    const bar = input.current
    if (bar === null) return
    const { from, to } = termsOf(bar.value, fields).find(({ written }) => written === wanted) ?? {
      from: bar.value.length,
      to: bar.value.length,
    }
    // the text is selected before the focus, so that the browser scrolls the term into view
    bar.setSelectionRange(from, to)
    bar.focus()
  }
  const takeOut = (at: number): void => {
    const written = terms[at]?.written
    const chips = [...(list.current?.querySelectorAll<HTMLElement>('[data-term]') ?? [])]
    // The focus moves before the chip disappears, so that the focus is never lost. If the removed term occurs several times, the last of
    // its chips disappears.
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
          {/* not a tab stop, because Delete and Backspace on the term have the same effect */}
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

/** The key of a term: its text, and the count of equal terms before it. */
const keyOf = (terms: readonly { readonly written: string }[], at: number): string => {
  const written = terms[at]?.written ?? ''
  return `${terms.slice(0, at).filter((other) => other.written === written).length} ${written}`
}

/** Sets `--g-chips` to the height of the chips in pixels. The list fills the rest of the window, so it needs this height. */
function useRoomFor(list: { readonly current: HTMLElement | null }, isShown: boolean): void {
  useLayoutEffect(() => {
    const { style } = document.documentElement
    const shown = list.current
    if (!isShown || shown === null) return
    const measure = (): void => {
      // the height includes the gap above the chips
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
