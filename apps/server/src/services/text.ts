import { isStorable } from '@gantt/scheduler-core'
import { type Issue, issue } from './outcome.ts'

/** Problems of a text that people or callers choose: its length in characters, and what no store keeps. */
export function checkText(path: readonly string[], text: string, { min = 1, max = 255 }: { min?: number; max?: number } = {}): Issue[] {
  if (text.length < min || text.length > max)
    return [issue(path, text, min === max ? `be ${min} characters long` : `be ${min} to ${max} characters long, not ${text.length}`)]
  return isStorable(text) ? [] : [issue(path, text, 'be text without NUL and halves of surrogate pairs')]
}

/** Problems of a whole number within a range. */
export const checkRange = (path: readonly string[], value: number, min: number, max: number, unit = ''): Issue[] =>
  Number.isInteger(value) && value >= min && value <= max ? [] : [issue(path, value, `be ${min} to ${max}${unit}`)]
