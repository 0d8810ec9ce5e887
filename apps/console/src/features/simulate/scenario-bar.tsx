import { Button, TextInput } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import { useShortcuts } from '../../lib/browser/keys.ts'
import type { Scenario } from './scenario.ts'
import { MAX_NAME_LENGTH, MAX_SCENARIOS, namesOf, swapped, toName, withCopy, withIndexes, without } from './scenarios.ts'

interface ScenarioBarProps {
  readonly scenarios: readonly Scenario[]
  /** The index of the edited scenario. */
  readonly on: number
  /** Why the actions are disabled at present. Undefined if they are enabled. */
  readonly whyNot: string | undefined
  onChoose(index: number): void
  /** Called with the new list of scenarios. `on` is the index of the scenario that is edited afterwards. */
  onChange(scenarios: readonly Scenario[], on: number): void
  /** Called with the new name of the selected scenario. Undefined removes the name. */
  onName(name: string | undefined): void
}

/** The scenarios, and the actions on the selected one. */
export function ScenarioBar({ scenarios, on, whyNot, onChoose, onChange, onName }: ScenarioBarProps) {
  const bar = useRef<HTMLDivElement>(null)
  const next = useRef<number>(undefined)
  // an action can remove or disable the pressed button, so the focus moves to the selected scenario
  useLayoutEffect(() => {
    if (next.current !== on) return
    next.current = undefined
    bar.current?.querySelector<HTMLElement>('[aria-pressed=true]')?.focus()
  })
  const names = namesOf(scenarios)
  const { length } = scenarios
  const isWithin = (index: number): boolean => index >= 0 && index < length
  const isFull = length >= MAX_SCENARIOS
  const change = (others: readonly Scenario[], index: number): void => {
    next.current = index
    onChange(others, index)
  }
  const actions = {
    add: () => !isFull && change(withCopy(scenarios, on), on + 1),
    choose: (index: number) => isWithin(index) && onChoose(index),
    move: (index: number) => isWithin(index) && change(swapped(scenarios, on, index), index),
    remove: () => length > 1 && change(without(scenarios, on), Math.max(0, Math.min(on, length - 2))),
  }
  const shortcut = (keys: string, label: string, run: () => unknown) => ({ keys, label, run: () => void run() })
  useShortcuts(
    whyNot === undefined
      ? [
          shortcut('n', 'Add a scenario', actions.add),
          shortcut('[', 'Previous scenario', () => actions.choose(on - 1)),
          shortcut(']', 'Next scenario', () => actions.choose(on + 1)),
          shortcut('{', 'Move the scenario to the left', () => actions.move(on - 1)),
          shortcut('}', 'Move the scenario to the right', () => actions.move(on + 1)),
          shortcut('Delete', 'Remove the scenario', actions.remove),
        ]
      : [],
  )
  const isOff = whyNot !== undefined
  const button = { size: 'compact-sm', variant: 'subtle' } as const
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what a form sends
    <div ref={bar} className="scenario-bar" role="group" aria-label="Scenarios">
      {withIndexes(names).map(({ one: name, index }) => (
        <Button
          key={index}
          size="compact-sm"
          variant={index === on ? 'filled' : 'outline'}
          aria-pressed={index === on}
          disabled={isOff && index !== on}
          title={whyNot ?? '[ and ]'}
          onClick={() => actions.choose(index)}
        >
          {name}
        </Button>
      ))}
      <Button
        {...button}
        disabled={isOff || isFull}
        title={whyNot ?? (isFull ? `At most ${MAX_SCENARIOS} scenarios can be compared` : 'Copy this scenario (n)')}
        onClick={actions.add}
      >
        Add a scenario
      </Button>
      <Name key={on} name={scenarios[on]?.name} usual={`Scenario ${on + 1}`} isOff={isOff} onName={onName} />
      {length === 1 ? null : (
        <>
          <Button
            {...button}
            disabled={isOff || !isWithin(on - 1)}
            aria-label="Move to the left"
            title="{"
            onClick={() => actions.move(on - 1)}
          >
            ←
          </Button>
          <Button
            {...button}
            disabled={isOff || !isWithin(on + 1)}
            aria-label="Move to the right"
            title="}"
            onClick={() => actions.move(on + 1)}
          >
            →
          </Button>
          <Button
            {...button}
            disabled={isOff}
            title="Delete the scenario. The Back button of the browser restores it."
            onClick={actions.remove}
          >
            Remove
          </Button>
        </>
      )}
    </div>
  )
}

interface NameProps {
  readonly name: string | undefined
  /** The label that is shown if the scenario has no name. */
  readonly usual: string
  readonly isOff: boolean
  onName(name: string | undefined): void
}

/** The name of the selected scenario, which is applied on blur or Enter. */
function Name({ name, usual, isOff, onName }: NameProps) {
  // if the name changes for another reason than typing (Back, a new order of scenarios), the new name replaces the typed text
  const [written, setWritten] = useState({ of: name, text: name ?? '' })
  const text = written.of === name ? written.text : (name ?? '')
  const apply = (): void => {
    const next = toName(text)
    if (next !== name) onName(next)
  }
  return (
    <TextInput
      size="xs"
      className="scenario-name"
      aria-label="Name of the scenario"
      placeholder={usual}
      maxLength={MAX_NAME_LENGTH}
      autoComplete="off"
      spellCheck={false}
      disabled={isOff}
      value={text}
      onChange={({ currentTarget: { value } }) => setWritten({ of: name, text: value })}
      onBlur={apply}
      onKeyDown={({ key }) => {
        if (key === 'Enter') apply()
        if (key === 'Escape') setWritten({ of: name, text: name ?? '' })
      }}
    />
  )
}
