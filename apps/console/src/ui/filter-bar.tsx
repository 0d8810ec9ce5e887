import { parseQuery, type QueryField, type QueryProblem, suggest } from '@gantt/scheduler-core/query'
import { ActionIcon, Box, Combobox, Group, Text, TextInput, useCombobox } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useShortcuts } from '../lib/keys.ts'

export interface FilterBarProps {
  /** What is filtered, for its label: "Filter hosts". */
  readonly label: string
  readonly fields: readonly QueryField[]
  /** The filter that holds; what is typed replaces it when it is right. */
  readonly value: string
  /** Typing: replaces the address. Enter, a chosen value, clearing: a step that Back undoes. */
  onChange(text: string, how: 'typing' | 'applied'): void
  /** Values of a field that the page knows, with how many rows have them. */
  values?(field: string): readonly { readonly value: string; readonly count: number }[]
  readonly placeholder?: string
  readonly right?: ReactNode
}

/** The filter grammar as a line: suggestions at the caret, problems in place, `/` to come here, Esc to clear. */
export function FilterBar({ label, fields, value, onChange, values, placeholder, right }: FilterBarProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(value)
  const [caret, setCaret] = useState(value.length)
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const { problems } = parseQuery(text, fields)
  const offered = suggest(text, caret, fields)
  const known = offered.field === null ? [] : (values?.(offered.field) ?? [])
  const written = text.slice(offered.from, offered.to).toLowerCase()
  const options = [
    ...offered.options.map((option) => ({ text: option.text, description: option.description })),
    ...known
      .filter((one) => one.value.toLowerCase().includes(written))
      .map((one) => ({ text: quoteWhereNeeded(one.value), description: `${one.count}` })),
  ].slice(0, 12)

  // the address changed by other means: a facet, Back, a link
  useEffect(() => setText((now) => (now.trim() === value.trim() ? now : value)), [value])
  useShortcuts([{ keys: '/', label: 'Filter', run: () => input.current?.focus() }])

  const write = (next: string, how: 'typing' | 'applied'): void => {
    setText(next)
    if (parseQuery(next, fields).problems.length === 0) onChange(next.trim(), how)
  }
  const choose = (option: string): void => {
    const isField = /[:<>=]$/.test(option)
    const next = `${text.slice(0, offered.from)}${option}${isField ? '' : ' '}${text.slice(offered.to).trimStart()}`
    write(next, isField ? 'typing' : 'applied')
    setCaret(offered.from + option.length + (isField ? 0 : 1))
    if (!isField) combobox.closeDropdown()
  }
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !combobox.dropdownOpened) write('', 'applied')
    if (event.key === 'Enter' && combobox.getSelectedOptionIndex() < 0) {
      combobox.closeDropdown()
      write(text, 'applied')
    }
  }

  return (
    <Box style={{ flex: 1, minWidth: 240 }}>
      <Combobox store={combobox} onOptionSubmit={choose} withinPortal>
        <Combobox.Target>
          <TextInput
            ref={input}
            aria-label={label}
            aria-describedby={problems.length > 0 ? id : undefined}
            placeholder={placeholder ?? 'Filter: / to come here, Ctrl-Space for what can be asked'}
            value={text}
            error={problems.length > 0}
            spellCheck={false}
            autoComplete="off"
            className="mono"
            onChange={({ currentTarget }) => {
              setCaret(currentTarget.selectionStart ?? currentTarget.value.length)
              write(currentTarget.value, 'typing')
              combobox.openDropdown()
              combobox.resetSelectedOption()
            }}
            onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart ?? currentTarget.value.length)}
            onKeyDown={press}
            onClick={() => combobox.openDropdown()}
            onBlur={() => combobox.closeDropdown()}
            rightSectionWidth={right === undefined ? 30 : undefined}
            rightSection={
              text === '' ? null : (
                <ActionIcon variant="subtle" color="gray" size="sm" aria-label="Clear the filter" onClick={() => write('', 'applied')}>
                  <IconX size={14} />
                </ActionIcon>
              )
            }
          />
        </Combobox.Target>
        <Combobox.Dropdown hidden={options.length === 0}>
          <Combobox.Options aria-label="What can be asked">
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
    </Box>
  )
}

/** Each problem under the line, with a caret at its place. */
function Problems({ id, text, problems }: { readonly id: string; readonly text: string; readonly problems: readonly QueryProblem[] }) {
  return (
    <Text id={id} size="sm" c="var(--mantine-color-error)" role="alert" className="mono" component="div" style={{ whiteSpace: 'pre-wrap' }}>
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
