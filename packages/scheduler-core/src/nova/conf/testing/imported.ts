import { type ImportedConf, importNovaConf } from '../import-conf.ts'
import { findRelease } from '../releases.ts'

export function imported(text: string, release?: string): ImportedConf {
  const outcome = importNovaConf(text, release === undefined ? undefined : findRelease(release))
  if (!outcome.ok) throw new Error(outcome.faults.map(({ message }) => message).join())
  return outcome.conf
}

export const filtersOf = ({ profile }: ImportedConf) => profile.filters.map(({ name }) => name)
export const multipliersOf = ({ profile }: ImportedConf) =>
  Object.fromEntries(profile.weighers.map(({ name, multiplier }) => [name, multiplier]))
export const textsOf = ({ findings }: ImportedConf) =>
  findings.map(({ kind, line, subject, message }) => `${kind} ${line} ${subject} ${message}`)

export const section = (lines: string, name: string) => `[${name}]\n${lines}\n`
