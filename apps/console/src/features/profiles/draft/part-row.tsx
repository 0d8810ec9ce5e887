import { Badge, Switch, Text, Textarea } from '@mantine/core'
import type { DragEvent, KeyboardEvent } from 'react'
import { parametersText } from '../parameters.ts'
import type { DraftPart, PartList } from './draft.ts'
import { signed } from './draft-diff.ts'
import { type FieldProblem, fieldOf, readNumber } from './draft-input.ts'

/** The description of a filter or weigher that a profile can use. */
export interface KnownPart {
  readonly name: string
  readonly description: string
  readonly parameters: unknown
  readonly takesOptions: boolean
  readonly mayShadow: boolean
  readonly unit: string | null
  readonly plugin: { readonly name: string } | null
}

interface PartRowProps {
  readonly list: PartList
  readonly part: DraftPart
  /** Undefined if the answering replica does not have the filter or weigher. */
  readonly known: KnownPart | undefined
  /** The index of the filter or weigher in the list, from 0, and the length of the list. */
  readonly index: number
  readonly count: number
  /** The multiplier in the base version. */
  readonly usual: string
  readonly problems: readonly FieldProblem[]
  readonly isDraggedOver: boolean
  onChange(change: Partial<DraftPart>): void
  onMove(to: number): void
  onDrag(id: string | undefined): void
  onDragOver(): void
  onDrop(): void
}

/** One filter or weigher of a draft: whether it is enabled, its position, and its fields. */
export function PartRow(props: PartRowProps) {
  const { list, part, known, index: position, count, problems, isDraggedOver, onChange, onMove, onDrag, onDragOver, onDrop } = props
  const { id, enabled } = part
  const press = (event: KeyboardEvent): void => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    onMove(position + (event.key === 'ArrowUp' ? -1 : 1))
  }
  const enter = (event: DragEvent): void => {
    event.preventDefault()
    onDragOver()
  }
  const wrong = problems.filter(({ field }) => field === fieldOf(list, id, 'name') || field === fieldOf(list, id, 'shadow'))
  return (
    <li
      className="draft-part"
      data-part={id}
      data-off={!enabled || undefined}
      data-over={isDraggedOver || undefined}
      onKeyDown={press}
      onDragEnter={enter}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        onDrop()
      }}
    >
      <span
        className="draft-grip"
        draggable
        aria-hidden
        title="Drag to reorder"
        onDragStart={(event) => {
          event.dataTransfer.effectAllowed = 'move'
          event.dataTransfer.setData('text/plain', id)
          onDrag(id)
        }}
        onDragEnd={() => onDrag(undefined)}
      >
        ⠿
      </span>
      <button
        type="button"
        className="draft-place"
        data-place-of={id}
        aria-label={`Move ${id}, ${position + 1} of ${count}`}
        aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
        title="Alt with the up or down arrow moves this part"
      >
        {position + 1}
      </button>
      <Switch
        size="sm"
        checked={enabled}
        aria-label={`Use ${id}`}
        onChange={({ currentTarget: { checked } }) => onChange({ enabled: checked })}
      />
      <div className="draft-said">
        <span className="draft-name">
          {id}{' '}
          {known?.plugin ? (
            <Badge variant="outline" color="gray" tt="none">
              plug-in {known.plugin.name}
            </Badge>
          ) : null}
        </span>
        <Text size="xs" c="dimmed" component="div">
          {known === undefined ? 'The replica that answers does not have this part.' : known.description}
          {list === 'weighers' && (readNumber(part.multiplier) ?? 0) < 0 ? ' The negative multiplier reverses the order.' : ''}
        </Text>
        <Wrong problems={wrong} />
        <Options {...props} />
      </div>
      {list === 'filters' ? <Shadow {...props} /> : <Multiplier {...props} />}
      <span className="draft-arrows">
        {/* buttons for operators who cannot drag; with the keyboard, Alt and the arrow keys move a filter or weigher */}
        <button type="button" tabIndex={-1} aria-label={`Move ${id} up`} disabled={position === 0} onClick={() => onMove(position - 1)}>
          ↑
        </button>
        <button
          type="button"
          tabIndex={-1}
          aria-label={`Move ${id} down`}
          disabled={position === count - 1}
          onClick={() => onMove(position + 1)}
        >
          ↓
        </button>
      </span>
    </li>
  )
}

function Wrong({ problems }: { readonly problems: readonly FieldProblem[] }) {
  return problems.map(({ message }) => (
    <Text size="xs" c="red" key={message} data-wrong>
      {message}
    </Text>
  ))
}

function Shadow({ part: { id, shadow }, known, onChange }: PartRowProps) {
  if (!shadow && known?.mayShadow === false) return <span className="draft-side dimmed">enforced for every claim</span>
  return (
    <Switch
      className="draft-side"
      size="xs"
      label="shadow"
      title="The filter is evaluated, but refuses no host."
      aria-label={`${id} in shadow mode: it refuses no host`}
      checked={shadow}
      onChange={({ currentTarget: { checked } }) => onChange({ shadow: checked })}
    />
  )
}

const MIN_RANGE = 10

/** The input of a multiplier, by typing or by a slider, with its sign next to it. */
function Multiplier({ part: { id, multiplier }, usual, problems, onChange }: PartRowProps) {
  const value = readNumber(multiplier)
  const reach = Math.max(MIN_RANGE, 2 * Math.abs(readNumber(usual) ?? 0), Math.abs(value ?? 0))
  const wrong = problems.filter(({ field }) => field === fieldOf('weighers', id, 'multiplier'))
  return (
    <div className="draft-side draft-multiplier">
      <input
        type="range"
        aria-label={`Multiplier of ${id}`}
        aria-valuetext={signed(multiplier)}
        min={-reach}
        max={reach}
        step={reach / 100}
        value={value ?? 0}
        onChange={({ currentTarget }) => onChange({ multiplier: String(Number(Number(currentTarget.value).toPrecision(6))) })}
      />
      <output className="draft-sign" data-multiplier={signed(multiplier)}>
        {value === undefined ? '?' : signed(multiplier)}
      </output>
      <input
        type="text"
        inputMode="decimal"
        aria-label={`Multiplier of ${id}, as a number`}
        aria-invalid={wrong.length > 0 || undefined}
        autoComplete="off"
        value={multiplier}
        onChange={({ currentTarget }) => onChange({ multiplier: currentTarget.value })}
      />
      <Wrong problems={wrong} />
    </div>
  )
}

/** The options as JSON, with the description of the options that the filter or weigher accepts. */
function Options({ list, part: { id, options }, known, problems, onChange }: PartRowProps) {
  const wrong = problems.filter(({ field }) => field === fieldOf(list, id, 'options'))
  if (known?.takesOptions !== true && options === '' && wrong.length === 0) return null
  const takes = parametersText(known?.parameters)
  return (
    <details className="draft-options" open={options !== '' || wrong.length > 0}>
      <summary>Options</summary>
      <Textarea
        size="xs"
        aria-label={`Options of ${id}, an object as JSON`}
        description={takes}
        autosize
        minRows={1}
        maxRows={10}
        spellCheck={false}
        classNames={{ input: 'mono' }}
        placeholder="{}"
        value={options}
        error={wrong.map(({ message }) => message).join(' ') || undefined}
        onChange={({ currentTarget: { value } }) => onChange({ options: value })}
      />
    </details>
  )
}
