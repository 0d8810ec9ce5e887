import { NativeSelect, Text } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import { added, changed, type DraftPart, type PartList as ListName, moved } from './draft.ts'
import type { FieldProblem } from './draft-input.ts'
import { type KnownPart, PartRow } from './part-row.tsx'

interface PartListProps {
  readonly list: ListName
  readonly label: string
  readonly parts: readonly DraftPart[]
  /** The filters or weighers of the base version. */
  readonly base: readonly DraftPart[]
  /** The filters or weighers that a profile can use. */
  readonly known: readonly KnownPart[]
  readonly problems: readonly FieldProblem[]
  onChange(parts: readonly DraftPart[]): void
}

/**
 * The list of filters or weighers in their order. The operator drags them, or moves them with Alt and the arrow keys. Each move is
 * announced to screen readers.
 */
export function PartList({ list, label, parts, base, known, problems, onChange }: PartListProps) {
  const [said, setSaid] = useState('')
  const rows = useRef<HTMLOListElement>(null)
  const followed = useRef<string | undefined>(undefined)
  const [dragged, setDragged] = useState<string | undefined>()
  const [over, setOver] = useState<string | undefined>()
  // a moved row loses the focus, so it is focused again
  useLayoutEffect(() => {
    const id = followed.current
    followed.current = undefined
    if (id !== undefined) rows.current?.querySelector<HTMLElement>(`[data-place-of="${CSS.escape(id)}"]`)?.focus()
  })
  const move = (id: string, to: number): void => {
    const index = Math.max(0, Math.min(parts.length - 1, to))
    followed.current = id
    onChange(moved(parts, id, index))
    setSaid(`${id} is ${index + 1} of ${parts.length} now.`)
  }
  const drop = (id: string): void => {
    if (dragged !== undefined && dragged !== id)
      move(
        dragged,
        parts.findIndex((part) => part.id === id),
      )
    setDragged(undefined)
    setOver(undefined)
  }
  const noun = list === 'filters' ? 'filter' : 'weigher'
  const others = known.filter(({ name }) => !parts.some((part) => part.name === name))
  return (
    <>
      <ol className="draft-parts" aria-label={label} ref={rows}>
        {parts.map((part, index) => (
          <PartRow
            key={part.id}
            {...{ list, part, index: index, problems }}
            known={known.find(({ name }) => name === part.name)}
            count={parts.length}
            usual={base.find(({ id }) => id === part.id)?.multiplier ?? ''}
            isDraggedOver={dragged !== undefined && dragged !== part.id && over === part.id}
            onChange={(change) => onChange(changed(parts, part.id, change))}
            onMove={(to) => move(part.id, to)}
            onDrag={setDragged}
            onDragOver={() => setOver(part.id)}
            onDrop={() => drop(part.id)}
          />
        ))}
      </ol>
      <Text size="xs" c="dimmed" aria-live="polite" data-said={list}>
        {said}
      </Text>
      {problems
        .filter(({ field }) => field === list)
        .map(({ message }) => (
          <Text size="xs" c="red" key={message} data-wrong>
            {message}
          </Text>
        ))}
      <NativeSelect
        size="xs"
        w="fit-content"
        mt={4}
        aria-label={`Add a ${noun}`}
        value=""
        data={[
          { value: '', label: `Add a ${noun} ...` },
          ...others.map(({ name, description }) => ({ value: name, label: `${name}: ${shortened(description)}` })),
        ]}
        onChange={({ currentTarget: { value } }) => {
          if (value === '') return
          const next = added(parts, value, list)
          followed.current = next.at(-1)?.id
          onChange(next)
          setSaid(`${value} is ${next.length} of ${next.length} now.`)
        }}
      />
    </>
  )
}

const LABEL_LENGTH = 90

const shortened = (text: string): string => (text.length > LABEL_LENGTH ? `${text.slice(0, LABEL_LENGTH - 1)}…` : text)
