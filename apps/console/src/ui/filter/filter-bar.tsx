import { parseQuery, type QueryField, type QueryProblem, type Suggestion, type Suggestions, suggest } from '@gantt/scheduler-core/query'
import { ActionIcon, Box, Combobox, Group, Text, TextInput, useCombobox } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { useShortcuts } from '../../lib/browser/keys.ts'
import { formatCount } from '../../lib/format.ts'
import { FilterChips } from './filter-chips.tsx'

export interface FilterBarProps {
  /** The accessible label: "Filter hosts". */
  readonly label: string
  readonly fields: readonly QueryField[]
  /** The applied filter. Valid input replaces this filter. */
  readonly value: string
  /**
   * Called for a valid filter. With `typing`, the history entry must be replaced. With `applied` (Enter, a selected value, clearing), a
   * history entry must be added, so that Back undoes the change.
   */
  onChange(text: string, how: 'typing' | 'applied'): void
  /** Returns the values of a field that the page knows, with the counts of rows that have the value. */
  values?(field: string): readonly { readonly value: string; readonly count: number }[]
  /** Converts a text that is pasted into the empty input to a filter. Undefined if the text must be inserted unchanged. */
  readPaste?: ((text: string) => string | undefined) | undefined
  readonly placeholder?: string
  readonly right?: ReactNode
}

/**
 * The input of a filter: suggestions at the caret, problems under the line, `/` to focus it, Ctrl-Space for completions, Escape to clear
 * it. A term is not marked as invalid while the caret is in it. The applied terms are below the input.
 */
export function FilterBar({ label, fields, value, onChange, values, readPaste, placeholder, right }: FilterBarProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useFollowed(value)
  const [caret, setCaret] = useState(value.length)
  const [isWriting, setWriting] = useState(false)
  const wantedCaret = useRef<number | undefined>(undefined)
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const offered = suggest(text, caret, fields)
  const options = optionsFor(offered, text, values)
  const isOpen = combobox.dropdownOpened && options.length > 0
  const problems = parseQuery(text, fields).problems.filter(({ from, to }) => !isWriting || caret < from || caret > to)

  useShortcuts([{ keys: '/', label: 'Filter', run: () => input.current?.focus() }])
  useLayoutEffect(() => {
    if (wantedCaret.current !== undefined) input.current?.setSelectionRange(wantedCaret.current, wantedCaret.current)
    wantedCaret.current = undefined
  })

  const write = (next: string, how: 'typing' | 'applied'): void => {
    setText(next)
    setWriting(how === 'typing')
    if (parseQuery(next, fields).problems.length === 0) onChange(next.trim(), how)
  }
  const type = (next: string, at: number): void => {
    setCaret(at)
    if (!isFieldBegun(suggest(next, at, fields))) write(next, 'typing')
    else {
      // the text is not applied yet: `mem.f` can become `mem.free>=...`, but as a word it would match no row and empty the list for a
      // moment
      setText(next)
      setWriting(true)
    }
  }
  const choose = (option: string): void => {
    const isField = offered.field === null
    const head = `${text.slice(0, offered.from)}${option}${isField ? '' : ' '}`
    wantedCaret.current = head.length
    setCaret(head.length)
    write(`${head}${text.slice(offered.to).trimStart()}`, isField ? 'typing' : 'applied')
    if (!isField) combobox.closeDropdown()
  }
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !isOpen) write('', 'applied')
    if (event.key === ' ' && event.ctrlKey) {
      combobox.openDropdown()
      event.preventDefault()
    }
    if (event.key === 'Enter' && combobox.getSelectedOptionIndex() < 0) {
      combobox.closeDropdown()
      write(text, 'applied')
    }
  }

  return (
    <Box style={{ flex: 1, minWidth: 240 }}>
      <Combobox store={combobox} onOptionSubmit={choose} withinPortal={false}>
        <Combobox.Target withExpandedAttribute>
          <TextInput
            ref={input}
            role="combobox"
            aria-label={label}
            aria-describedby={problems.length > 0 ? id : undefined}
            placeholder={placeholder ?? 'Filter: shortcut /, Ctrl-Space for suggestions'}
            value={text}
            error={problems.length > 0}
            spellCheck={false}
            autoComplete="off"
            className="mono"
            onChange={({ currentTarget }) => {
              type(currentTarget.value, currentTarget.selectionStart ?? currentTarget.value.length)
              combobox.openDropdown()
              combobox.resetSelectedOption()
            }}
            onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart ?? currentTarget.value.length)}
            onPaste={(event) => {
              const meant = text.trim() === '' ? readPaste?.(event.clipboardData.getData('text')) : undefined
              if (meant === undefined) return
              event.preventDefault()
              write(meant, 'applied')
            }}
            onKeyDown={press}
            onClick={() => combobox.openDropdown()}
            onBlur={() => {
              combobox.closeDropdown()
              if (text.trim() === value) setWriting(false)
              else write(text, 'applied')
            }}
            rightSectionWidth={right === undefined ? 30 : undefined}
            rightSection={
              <>
                {right}
                {text === '' ? null : (
                  <ActionIcon variant="subtle" color="gray" size="sm" aria-label="Clear the filter" onClick={() => write('', 'applied')}>
                    <IconX size={14} />
                  </ActionIcon>
                )}
              </>
            }
          />
        </Combobox.Target>
        <Combobox.Dropdown hidden={options.length === 0}>
          <Combobox.Options aria-label="Filter fields">
            {options.map((option) => (
              <Combobox.Option key={option.text} value={option.text}>
                <Group justify="space-between" wrap="nowrap" gap="md">
                  <span className="mono">{option.text}</span>
                  <Text size="xs" c="dimmed" truncate>
                    {option.description}
                  </Text>
                </Group>
              </Combobox.Option>
            ))}
          </Combobox.Options>
        </Combobox.Dropdown>
      </Combobox>
      {problems.length > 0 ? <Problems id={id} text={text} problems={problems} /> : null}
      {value === '' ? null : (
        <FilterChips
          {...{ label, fields, value, input }}
          onChange={(next) => {
            // input that was not applied is cleared too
            setText(next)
            setWriting(false)
            onChange(next, 'applied')
          }}
        />
      )}
    </Box>
  )
}

/**
 * The text of an input that can also be changed by a facet, Back, or a link. Typed text is written to the URL and is read back from the URL
 * with a delay. The user can have typed more meanwhile, so a text that is read back does not replace the input.
 */
function useFollowed(value: string): readonly [string, (text: string) => void] {
  const [text, setText] = useState(value)
  const underway = useRef(new Set<string>())
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs only if the address has changed
  useEffect(() => {
    const isOwn = underway.current.has(value)
    if (!isOwn || text.trim() === value) underway.current.clear()
    if (!isOwn) setText((now) => (now.trim() === value ? now : value))
  }, [value])
  const write = (next: string): void => {
    underway.current.add(next.trim())
    setText(next)
  }
  return [text, write]
}

/** True if the word at the caret can become the name of a field. */
const isFieldBegun = ({ field, from, to, options }: Suggestions): boolean => field === null && to > from && options.length > 0

const MAX_OPTIONS = 12

/** The completions at the caret. Values that the page knows have their counts. */
function optionsFor(offered: Suggestions, text: string, values: FilterBarProps['values']): readonly Suggestion[] {
  const written = text.slice(offered.from, offered.to).toLowerCase()
  const known = offered.field === null ? [] : (values?.(offered.field) ?? [])
  const counted = known
    .filter(({ value }) => value.toLowerCase().includes(written))
    .map(({ value, count }) => ({ text: quoteWhereNeeded(value), description: formatCount(count) }))
  const others = offered.options.filter((option) => !counted.some((one) => one.text === option.text))
  return [...counted, ...others].slice(0, MAX_OPTIONS)
}

/** The problems below the input. Each problem is marked at its position in the text. */
function Problems({ id, text, problems }: { readonly id: string; readonly text: string; readonly problems: readonly QueryProblem[] }) {
  return (
    <Text
      id={id}
      size="sm"
      c="var(--mantine-color-error)"
      role="status"
      className="mono"
      component="div"
      style={{ whiteSpace: 'pre-wrap' }}
    >
      {problems.map(({ message, from, to }) => (
        <div key={`${from}-${message}`}>
          <span aria-hidden>
            {text.slice(0, to)}
            {'\n'}
            {' '.repeat(from)}
            {'^'.repeat(Math.max(1, to - from))}{' '}
          </span>
          {message}
        </div>
      ))}
    </Text>
  )
}

const quoteWhereNeeded = (value: string): string => (/[\s,":<>=!*]/.test(value) || value.startsWith('-') ? JSON.stringify(value) : value)
